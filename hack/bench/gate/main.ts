/** Compares a build with one before it: both run at once, take turns at each row, and the medians are compared. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '../client.js';
import { cpuSeconds } from '../cpu.js';
import { table, shown } from '../report.js';
import { startOurs } from '../targets/ours.js';
import { isOwn, type OwnName } from '../targets/target.js';
import { GATE_ROWS, seedSubject, type GateRow, type Prepared, type Subject } from './rows.js';
import { compare, type Comparison } from './compare.js';

const USAGE = `Usage: hack/bench/run.sh gate --base FOLDER [--rounds N] [--only REGEX] [--quick] [--most PERCENT]
  --base     a checkout that is built, or a copy of its dist/ beside package.json and node_modules/
  --rounds   turns of each server at each row (7)
  --only     rows whose name matches, case ignored
  --quick    shorter loads
  --engine   embedded, or etcd: one for each server (embedded)
  --most     how much more CPU for an operation is a failure, in percent (10)
  --change   the build that is judged (this one)`;

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

const programOf = (folder: string): string => {
  const program = join(resolve(folder), 'dist/cmd/apiserver/main.js');
  if (!existsSync(program)) throw new Error(`${program} is not there: build it`);
  return program;
};

async function startSubject(
  engine: OwnName,
  program: string,
  folder: string,
  scale: number,
): Promise<Subject> {
  const target = await startOurs(engine, { folder: mkdtempSync(join(folder, 'server-')), program });
  const client = (connections: number, token = target.endpoint.token) =>
    createClient({ ...target.endpoint, token }, connections);
  const subject = { target, client, scale };
  await seedSubject(subject);
  return subject;
}

/** Server CPU for an operation, in seconds. */
async function cost({ target }: Subject, prepared: Prepared): Promise<number> {
  const before = cpuSeconds(target.pid);
  const { operations } = await prepared.load();
  return (cpuSeconds(target.pid) - before) / operations;
}

/** The servers begin a round in turns. */
async function compareRow(row: GateRow, subjects: readonly Subject[], rounds: number): Promise<Comparison> {
  const prepared: Prepared[] = [];
  const costs: number[][] = subjects.map(() => []);
  try {
    for (const subject of subjects) prepared.push(await row.prepare(subject));
    for (let round = -row.warmUps; round < rounds; round++) {
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      for (const at of order) {
        const value = await cost(subjects[at] as Subject, prepared[at] as Prepared);
        if (round >= 0) costs[at]?.push(value);
      }
    }
  } finally {
    for (const each of prepared) each.close();
  }
  return compare(costs[0] ?? [], costs[1] ?? []);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      change: { type: 'string', default: '.' },
      rounds: { type: 'string', default: '7' },
      only: { type: 'string', default: '' },
      most: { type: 'string', default: '10' },
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
  const rows = GATE_ROWS.filter(({ name }) => new RegExp(values.only, 'i').test(name));
  const folder = mkdtempSync(join(tmpdir(), 'bench-gate-'));
  const subjects: Subject[] = [];
  try {
    const scale = values.quick ? 0.4 : 1;
    for (const program of [programOf(values.base), programOf(values.change)])
      subjects.push(await startSubject(engine, program, folder, scale));
    await judge(rows, subjects, Number(values.rounds), Number(values.most) / 100);
  } finally {
    for (const { target } of subjects) await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judge(
  rows: readonly GateRow[],
  subjects: readonly Subject[],
  rounds: number,
  most: number,
): Promise<void> {
  const lines: string[][] = [];
  for (const row of rows) {
    say(row.name);
    let compared = await compareRow(row, subjects, rounds);
    // Other work on the machine costs a row twice in a row seldom.
    if (compared.more > most) compared = await compareRow(row, subjects, rounds * 2);
    const failed = compared.more > most;
    if (failed) process.exitCode = 1;
    const more = `${compared.more >= 0 ? '+' : ''}${(compared.more * 100).toFixed(1)}%`;
    lines.push([
      row.name,
      shown(compared.base, 'cpu'),
      shown(compared.change, 'cpu'),
      more,
      failed ? 'FAILED' : '',
    ]);
  }
  process.stdout.write(table(['row', 'base', 'change', 'CPU', ''], lines));
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
