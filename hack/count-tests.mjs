// Adds up jest result files (--json --outputFile): prints `PASSED FAILED`.
//   node hack/count-tests.mjs FILE...
// A suite that could not run counts as one failure, and so does a file that is absent, unreadable or without tests.
import { readFileSync } from 'node:fs';

/** Passed and failed in one result file. */
function countOf(path) {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8'));
    const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
    if (result.numPassedTests + failed === 0) throw new Error('no test ran');
    if (result.numPendingTests > 0) console.error(`${path}: ${result.numPendingTests} skipped`);
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
