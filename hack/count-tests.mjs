// Adds up jest result files (--json --outputFile): prints `PASSED FAILED`, and on stderr each test that failed.
//   node hack/count-tests.mjs FILE...
// A suite that could not run counts as one failure, and so does a file that is absent, unreadable or without tests.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** A line for each test that failed, and for each file that failed without one. */
function failuresOf({ name, status, assertionResults }) {
  const file = relative('', name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length > 0) return failed.map(({ fullName }) => `${file}: ${fullName}`);
  return status === 'failed' ? [file] : [];
}

/** Passed and failed in one result file. */
function countOf(path) {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8'));
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    if (result.numPassedTests + failed === 0) throw new Error('no test ran');
    if (result.numPendingTests > 0) console.error(`${path}: ${result.numPendingTests} skipped`);
    for (const line of result.testResults.flatMap(failuresOf)) console.error(`FAILED ${line}`);
    for (const file of result.passedTheSecondTime ?? [])
      console.error(`${path}: passed the second time only: ${file}`);
    return { passed: result.numPassedTests, failed };
  } catch (error) {
    console.error(`${path}: ${error instanceof Error ? error.message : error}`);
    return { passed: 0, failed: 1 };
  }
}

const counts = process.argv.slice(2).map(countOf);
const sum = (field) => counts.reduce((total, count) => total + count[field], 0);
console.log(`${sum('passed')} ${sum('failed')}`);
