// Runs jest, and every file that failed once more, alone: what two suites side by side disturb is told from what is broken.
// A file that fails twice has failed. The result file says which passed the second time only; count-tests.mjs prints them.
//   node hack/jest.mjs RESULT-FILE [JEST-ARGUMENT...]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** With more failed files than these the build is broken: running them again would only take time. */
const MAX_FILES = 20;

/** How long jest may take to end after its results are written: a suite that left a server running holds it for ever. */
const END_MS = Number(process.env.JEST_END_MS ?? 60_000);
const LOOK_MS = 1_000;

/** Runs jest on the Node of this process; the parsed result, or undefined where it wrote none. */
async function run(file, args) {
  rmSync(file, { force: true });
  const child = spawn(process.execPath, [JEST, '--json', `--outputFile=${file}`, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    detached: true, // a process group of its own, so that what a suite left running can be ended with it
    env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' },
  });
  const end = (signal) => process.kill(-child.pid, signal);
  const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => end(signal)]);
  for (const [signal, forward] of forwarded) process.on(signal, forward);
  const held = endAfterResults(file, () => end('SIGKILL'));
  await once(child, 'exit');
  clearInterval(held.looking);
  for (const [signal, forward] of forwarded) process.off(signal, forward);
  if (!existsSync(file)) return undefined;
  const result = JSON.parse(readFileSync(file, 'utf8'));
  return held.ended ? { ...result, success: false } : result;
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

const filesOf = (result, status) =>
  result.testResults.filter((suite) => suite.status === status).map((suite) => suite.name);

/** The counts that say how a run ended. */
const COUNTS = ['numPassedTests', 'numFailedTests', 'numPendingTests', 'numRuntimeErrorTestSuites'];

/** What one file of a result adds to its counts. */
function countsOf({ assertionResults }) {
  const tests = (...states) => assertionResults.filter(({ status }) => states.includes(status)).length;
  return {
    numPassedTests: tests('passed'),
    numFailedTests: tests('failed'),
    numPendingTests: tests('pending', 'skipped', 'disabled'),
    numRuntimeErrorTestSuites: assertionResults.length === 0 ? 1 : 0,
  };
}

/** `first` with the files of `again` in place of its own. */
function merged(first, again) {
  const repeated = new Set(again.testResults.map(({ name }) => name));
  const replaced = first.testResults.filter(({ name }) => repeated.has(name)).map(countsOf);
  const counts = COUNTS.map((count) => [
    count,
    replaced.reduce((sum, suite) => sum - suite[count], first[count]) + again[count],
  ]);
  return {
    ...first,
    ...Object.fromEntries(counts),
    success: again.success,
    passedTheSecondTime: filesOf(again, 'passed').map((file) => relative(ROOT, file)),
    testResults: [...first.testResults.filter(({ name }) => !repeated.has(name)), ...again.testResults],
  };
}

const [file, ...args] = process.argv.slice(2);
const first = await run(file, args);
if (first?.success) process.exit(0);
const failed = first === undefined ? [] : filesOf(first, 'failed');
if (failed.length === 0 || failed.length > MAX_FILES) process.exit(1);

console.error(`jest: ${failed.length} files failed and run once more, one after another`);
const config = args.flatMap((argument, at) => (argument === '--config' ? [argument, args[at + 1]] : []));
const again = await run(`${file}.again`, [...config, '--runInBand', '--runTestsByPath', ...failed]);
if (again === undefined) process.exit(1);
const result = merged(first, again);
writeFileSync(file, JSON.stringify(result));
process.exit(result.success ? 0 : 1);
