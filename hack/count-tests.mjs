// Adds up jest result files (--json --outputFile): prints `PASSED FAILED`, and on stderr a line for each test that failed: its file
// and name, the message, and the command that repeats it alone.
//   node hack/count-tests.mjs FILE...
// A suite that could not run counts as one failure, and so does a file that is absent, unreadable or without tests.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

/** In characters. What was expected and received is most of what a log that was cut can say. */
const MAX_MESSAGE = 600;

/** The target of make that runs a file of each result, by the name of the result file. */
const REPEATED_BY = {
  'jest-host.json': (file) => `make e2e TESTS=${file}`,
  'jest-clients.json': (file) => `make clients TESTS=${file}`,
  'jest-robustness.json': () => 'make robustness',
  'jest-own-node.json': (file) => `make test-own-node OWN_NODE_TESTS=${file}`,
};
const INSIDE_PATTERN = /[\\^$.*+?()[\]{}|]/g;

/** A word of a shell that is exactly `text`. */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const plain = (text) => text.replaceAll(/\u001b\[[0-9;]*m/g, '');

const FRAME_OR_STACK = /^\s*(>?\s*\d+ \||at )/;

/** A message in one line, without the code and the stack that follow it, cut. */
function oneLine(message = '') {
  const lines = plain(message).split('\n');
  const end = lines.findIndex((line) => FRAME_OR_STACK.test(line));
  const said = lines.slice(0, end === -1 ? undefined : end).flatMap((line) => line.trim() || []);
  return said.join(' ').slice(0, MAX_MESSAGE) || 'no message';
}

/** Lines for the tests that failed, or for the file if it failed without one. */
function failuresOf({ name, status, message, assertionResults }, result) {
  const file = relative('', name);
  const command = (REPEATED_BY[basename(result)] ?? ((path) => `make test TESTS=${path}`))(file);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${file}: ${oneLine(message)} | ${command}`] : [];
  return failed.map(({ fullName, failureMessages: [first] }) => {
    const only = quoted(fullName.replaceAll(INSIDE_PATTERN, '\\$&'));
    return `${file}: ${fullName}: ${oneLine(first)} | ${command} ONLY=${only}`;
  });
}

/** Passed and failed in one result file. */
function countOf(path) {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8'));
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    if (result.numPassedTests + failed === 0) throw new Error('no test ran');
    if (result.numPendingTests > 0) console.error(`${path}: ${result.numPendingTests} skipped`);
    for (const line of result.testResults.flatMap((suite) => failuresOf(suite, path)))
      console.error(`FAILED ${line}`);
    return { passed: result.numPassedTests, failed };
  } catch (error) {
    console.error(`FAILED ${path}: ${error instanceof Error ? error.message : error}`);
    return { passed: 0, failed: 1 };
  }
}

const counts = process.argv.slice(2).map(countOf);
const sum = (field) => counts.reduce((total, count) => total + count[field], 0);
console.log(`${sum('passed')} ${sum('failed')}`);
