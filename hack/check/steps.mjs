// Runs commands side by side, and prints of each what it wrote when it ends.
import { spawn } from 'node:child_process';

/** Each keeps about one core busy. */
const SIDE_BY_SIDE = 2;

/** Ends with the exit status and everything that the command wrote. */
function execute([program, ...args], env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => (text += part));
    child.once('error', (error) => resolve({ status: 1, text: `${program}: ${error.message}\n` }));
    child.once('close', (status) => resolve({ status: status ?? 1, text }));
  });
}

/** As a shell reads it. */
export const commandLine = (argv) =>
  argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/**
 * Runs every step, two at a time, in their order; those that failed. A step has a name, commands that run one after the other,
 * and `repeat`: the command line that repeats it alone.
 */
export async function runSteps(steps, print = console.log) {
  const waiting = [...steps];
  const failed = [];
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const began = Date.now();
      let result = { status: 0, text: '' };
      for (const command of step.commands) {
        const { status, text } = await execute(command, step.env);
        result = { status, text: result.text + text };
        if (status !== 0) break;
      }
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      if (result.status !== 0) {
        failed.push(step);
        print(result.text.trimEnd());
      }
      print(`check: ${step.name} ${result.status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return failed;
}
