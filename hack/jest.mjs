// Runs jest once, in surroundings that a test must not read (hack/surroundings.mjs), and prints the slowest files.
//   node hack/jest.mjs RESULT-FILE [--beside COMMAND] [JEST-ARGUMENT...]
// --beside   a shell command that makes what some tests need. It runs beside the tests that do not: those that do begin, or wait
//            (test/fixtures/parts.ts), when it has ended. If it fails, so does the run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeLeftovers } from './leftovers.mjs';
import { slownessOfMachine } from './slowness.mjs';
import { printSlowest } from './slowest.mjs';
import { plantSurroundings } from './surroundings.mjs';
import { makeTestFiles } from './testfiles.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const SETUP = join(ROOT, 'hack/workingdirectory.mjs');

/** How long jest may take to end after its results are written: a suite that left a server running holds it for ever. */
const END_MS = Number(process.env.JEST_END_MS ?? 60_000);
const LOOK_MS = 1_000;

/** Whether jest said that all passed, and ended by itself. */
async function run(file, args, env) {
  rmSync(file, { force: true });
  const child = spawn(
    process.execPath,
    [JEST, '--json', `--outputFile=${file}`, ...args, `--setupFiles=${SETUP}`],
    {
      cwd: ROOT,
      stdio: 'inherit',
      detached: true, // a process group of its own, so that what a suite left running can be ended with it
      env: { ...process.env, ...env, NODE_OPTIONS: '--experimental-vm-modules' },
    },
  );
  const end = (signal) => process.kill(-child.pid, signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal));
  const held = endAfterResults(file, () => end('SIGKILL'));
  await once(child, 'exit');
  clearInterval(held.looking);
  return !held.ended && existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).success;
}

/** Calls `end` once the results have stood there for `END_MS`, and says so. */
function endAfterResults(file, end) {
  const held = { ended: false, looking: undefined };
  held.looking = setInterval(() => {
    if (!existsSync(file) || Date.now() - statSync(file).mtimeMs < END_MS) return;
    held.ended = true;
    console.error('jest: ended by force, since a suite left something running: see --detectOpenHandles');
    clearInterval(held.looking);
    end();
  }, LOOK_MS);
  return held;
}

/** Runs a command while `pending` exists; whether it succeeded. */
async function runBeside(command, pending) {
  if (command === undefined) return true;
  writeFileSync(pending, '');
  const child = spawn('bash', ['-c', command], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(child, 'exit');
  rmSync(pending, { force: true });
  return status === 0;
}

const [given = '', ...more] = process.argv.slice(2);
const [command, args] = more[0] === '--beside' ? [more[1], more.slice(2)] : [undefined, more];
const file = resolve(given);
const pending = `${file}.pending`;
removeLeftovers();
const files = makeTestFiles();
const surroundings = plantSurroundings();
const slowness = process.env.TEST_SLOWNESS ?? String(slownessOfMachine());
const env = {
  ...surroundings.env,
  TMPDIR: files.folder,
  TEST_SLOWNESS: slowness,
  TEST_PARTS_PENDING: pending,
};
const beside = runBeside(command, pending);
const passed = await run(file, args, env);
const made = await beside;
printSlowest([file]);
const touched = surroundings.touched();
for (const path of touched) console.error(`jest: a test wrote ${path}`);
surroundings.remove();
files.remove();
process.exit(made && passed && touched.length === 0 ? 0 : 1);
