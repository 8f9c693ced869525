// Runs suites again and again beside processes that do nothing but take CPU, and says which tests failed, and in which round.
//   node hack/stress.mjs ROUNDS BUSY RESULT-FOLDER [JEST-ARGUMENT...]
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const [rounds = '10', busy = '2', folder = '.tools/results', ...args] = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
const load = Array.from({ length: Number(busy) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.on('exit', () => load.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/** Files and tests that failed in the result of a run. */
function failuresIn(file) {
  if (!existsSync(file)) return ['the run wrote no result'];
  return JSON.parse(readFileSync(file, 'utf8')).testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    const path = relative('', name);
    if (failed.length === 0) return status === 'failed' ? [path] : [];
    return failed.map((fullName) => `${path}: ${fullName}`);
  });
}

const failedIn = new Map();
for (let round = 1; round <= Number(rounds); round += 1) {
  const file = join(folder, `stress-${round}.json`);
  const began = performance.now();
  const { status } = spawnSync(process.execPath, [join(HERE, 'jest.mjs'), file, ...args], {
    stdio: 'inherit',
  });
  const failures = failuresIn(file);
  if (status !== 0 && failures.length === 0)
    failures.push('the run was ended by force, or left something behind');
  for (const failure of failures) failedIn.set(failure, [...(failedIn.get(failure) ?? []), round]);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`stress: round ${round} of ${rounds}: ${failures.length} failed, ${seconds} s`);
}
for (const [failure, failed] of failedIn)
  console.log(`FAILED in ${failed.length} of ${rounds} rounds (${failed.join(', ')}): ${failure}`);
console.log(failedIn.size === 0 ? `stress: ${rounds} clean rounds` : `stress: ${failedIn.size} tests failed`);
process.exit(failedIn.size === 0 ? 0 : 1);
