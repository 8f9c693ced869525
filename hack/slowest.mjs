// Prints the files of jest results (--json --outputFile) that took longest.
//   node hack/slowest.mjs FILE...
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { relative } from 'node:path';

const SLOWEST = 10;

/** Of result files; those that are absent have none. */
export function printSlowest(files) {
  const results = files
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const times = results
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => [(endTime - startTime) / 1000, relative('', name)]);
  if (times.length <= SLOWEST) return;
  console.error(`The ${SLOWEST} slowest of ${times.length} test files:`);
  for (const [seconds, name] of times.sort(([a], [b]) => b - a).slice(0, SLOWEST))
    console.error(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) printSlowest(process.argv.slice(2));
