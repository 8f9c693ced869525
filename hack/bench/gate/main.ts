/** Compares a build with one before it: both run at once, take turns at each row, and the medians are compared. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table, shown } from '../report.js';
import { isOwn } from '../targets/target.js';
import { judgeQuickly, judgeTwice, type Bounds } from './judge.js';
import type { GateRow, Subject } from './row.js';
import { GATE_ROWS } from './rows.js';
import { startSubject } from './subject.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

/** Those whose cost differs least from one time to the next. */
const QUICK_ROWS = [
  'GET',
  'GET over HTTP/2',
  'LIST pages of 100',
  'create ConfigMap',
  'merge patch',
  '500 watches, writes flat out',
];
const QUICK_SCALE = 0.4;

const USAGE = `Usage: hack/bench/run.sh gate --base FOLDER [--rounds N] [--only REGEX] [--quick] [--most PERCENT]
  --base     a checkout that is built, or what is as its dist/ is, beside package.json and node_modules/
  --rounds   turns of each server at each row (7)
  --only     rows whose name matches, case ignored
  --quick    ${QUICK_ROWS.length} rows, shorter loads, and as few rounds as it takes to be sure that none is above --most (50)
  --engine   embedded, or etcd: one for each server (embedded)
  --most     how much more CPU for an operation is a failure, in percent (10)
  --change   the build that is judged (this one)`;

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

const programOf = (folder: string): string => {
  const programs = ['dist/cmd/apiserver/main.js', 'cmd/apiserver/main.js'].map((path) =>
    resolve(folder, path),
  );
  const program = programs.find((path) => existsSync(path));
  if (program === undefined) throw new Error(`${programs[0]} is not there: build it`);
  return program;
};

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      change: { type: 'string', default: '.' },
      rounds: { type: 'string', default: '7' },
      only: { type: 'string', default: '' },
      most: { type: 'string' },
      quick: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'embedded' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  if (values.base === undefined || values.base === '')
    throw new Error('--base: say which build is compared with');
  const { engine } = values;
  if (!isOwn(engine)) throw new Error('--engine: embedded or etcd');
  const { quick } = values;
  const only = new RegExp(values.only, 'i');
  const rows = GATE_ROWS.filter(({ name }) => only.test(name) && (!quick || QUICK_ROWS.includes(name)));
  const folder = mkdtempSync(join(tmpdir(), 'bench-gate-'));
  const subjects: Subject[] = [];
  try {
    const scale = quick ? QUICK_SCALE : 1;
    for (const program of [programOf(values.base), programOf(values.change)])
      subjects.push(await startSubject(engine, { folder, program }, scale));
    const most = Number(values.most ?? (quick ? 50 : 10)) / 100;
    await judge(rows, subjects, { most, rounds: Number(values.rounds) }, quick);
  } finally {
    for (const { target } of subjects) await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(
  rows: readonly GateRow[],
  subjects: readonly Subject[],
  bounds: Bounds,
  quick: boolean,
): Promise<void> {
  const lines: string[][] = [];
  for (const row of rows) {
    say(row.name);
    const judged = await (quick
      ? judgeQuickly(row, subjects, bounds.most)
      : judgeTwice(row, subjects, bounds));
    if (judged.failed) process.exitCode = 1;
    const more = `${judged.more >= 0 ? '+' : ''}${(judged.more * 100).toFixed(1)}%`;
    const costs = [judged.base, judged.change].map((one) => shown(one, 'cpu'));
    lines.push([row.name, ...costs, more, judged.failed ? 'FAILED' : '']);
  }
  process.stdout.write(table(['row', 'base', 'change', 'CPU', ''], lines));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
