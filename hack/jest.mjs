// Runs jest, and every file that failed once more, alone: what two suites side by side disturb is told from what is broken.
// A file that fails twice has failed. The result file says which passed the second time only; count-tests.mjs prints them.
//   node hack/jest.mjs RESULT-FILE [JEST-ARGUMENT...]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** With more failed files than these the build is broken: running them again would only take time. */
const MOST_FILES = 20;

/** Runs jest on the Node of this process; the parsed result, or undefined where it wrote none. */
function run(file, args) {
  rmSync(file, { force: true });
  spawnSync(process.execPath, [JEST, '--json', `--outputFile=${file}`, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' },
  });
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
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
const first = run(file, args);
if (first?.success) process.exit(0);
const failed = first === undefined ? [] : filesOf(first, 'failed');
if (failed.length === 0 || failed.length > MOST_FILES) process.exit(1);

console.error(`jest: ${failed.length} files failed and run once more, one after another`);
const config = args.flatMap((argument, at) => (argument === '--config' ? [argument, args[at + 1]] : []));
const again = run(`${file}.again`, [...config, '--runInBand', '--runTestsByPath', ...failed]);
if (again === undefined) process.exit(1);
const result = merged(first, again);
writeFileSync(file, JSON.stringify(result));
process.exit(result.success ? 0 : 1);
