/** Measures this server and its peers side by side; see docs/contributing/measurements.md for what the rows mean. */
import { writeFileSync } from 'node:fs';
import { readOptions, USAGE, type Options } from './options.js';
import { findTool } from './processes.js';
import { report } from './report.js';
import { authorizationRows } from './rows/authorization.js';
import { cascadeRows } from './rows/cascade.js';
import { endRows, startRows } from './rows/process.js';
import { readRows } from './rows/reads.js';
import type { Row } from './rows/row.js';
import { watchRows } from './rows/watches.js';
import { coldRows, writeRows } from './rows/writes.js';
import { runTarget, type Measurements } from './run.js';
import { isOwn, TARGET_NAMES, type TargetName } from './targets/target.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

/** In the order of measuring: what needs few objects first. */
const ROWS: readonly Row[] = [
  ...coldRows,
  ...startRows,
  ...writeRows,
  ...watchRows,
  ...readRows,
  ...authorizationRows,
  ...cascadeRows,
  ...endRows,
];

const NEEDS: Readonly<Record<TargetName, readonly string[]>> = {
  embedded: [],
  etcd: ['etcd'],
  'kube-apiserver': ['etcd', 'kube-apiserver'],
  floor: [],
};

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

function installed(target: TargetName): boolean {
  const missing = NEEDS[target].filter((tool) => findTool(tool) === undefined);
  if (missing.length > 0) say(`${target} is left out: no ${missing.join(', ')} (make tools)`);
  return missing.length === 0;
}

async function run(options: Options): Promise<void> {
  const rows = ROWS.filter(({ name }) => options.only.test(name));
  if (rows.length === 0)
    throw new Error(`--only matches none of these rows: ${ROWS.map(({ name }) => name).join('; ')}`);
  const targets = (options.targets ?? TARGET_NAMES).filter(installed);
  const results = new Map<TargetName, Measurements>();
  const rowsOf = (target: TargetName) => rows.filter(({ ownOnly }) => ownOnly !== true || isOwn(target));
  for (const target of targets)
    results.set(target, await runTarget(target, rowsOf(target), { ...options, say }));
  const text = report(rows, results);
  process.stdout.write(text);
  if (options.out !== undefined) writeFileSync(options.out, text);
  const complete = [...results].every(([target, { size }]) => size === rowsOf(target).length);
  if (!complete) process.exitCode = 1;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) process.stdout.write(`${USAGE}\n`);
  else await run(options);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
