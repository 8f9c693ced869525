/** What encryption costs a create of a SharedSecret: two servers of one build, one of which encrypts, take turns. */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../gate/compare.js';
import { takeTurns } from '../gate/judge.js';
import type { GateRow, Subject } from '../gate/row.js';
import { GATE_ROWS } from '../gate/rows.js';
import { startSubject } from '../gate/subject.js';
import { table } from '../report.js';
import { isOwn, type OwnName } from '../targets/target.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh encryption [--engine embedded|etcd] [--rounds N] [--pairs N] [--most MICROSECONDS]
  --engine   embedded, or etcd: one for each server (embedded)
  --rounds   turns of each server (5)
  --pairs    so many pairs of servers, one after another: each is compiled a little differently (3)
  --most     how much more CPU a create may take with encryption, in microseconds (15)`;
const ROW = 'create SharedSecret';
/** V8 goes on compiling for some thousand creates. */
const WARM_UPS = 3;
/** A turn is long, as CPU is counted in steps of 10 ms. */
const SCALE = 4;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'embedded' },
      rounds: { type: 'string', default: '5' },
      pairs: { type: 'string', default: '3' },
      most: { type: 'string', default: '15' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const { engine } = values;
  if (!isOwn(engine)) throw new Error('--engine: embedded or etcd');
  const row = GATE_ROWS.find(({ name }) => name === ROW);
  if (row === undefined) throw new Error(`no row is named ${ROW}`);
  const [rounds, pairs, most] = [Number(values.rounds), Number(values.pairs), Number(values.most)];
  const [plain, encrypted]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair += 1) {
    const [before, after] = await ofAPair(engine, { ...row, warmUps: WARM_UPS }, rounds);
    plain.push(...before);
    encrypted.push(...after);
  }
  report(plain, encrypted, most);
}

/** The CPU of a create in each round, in seconds: of a server that does not encrypt, and of one that does. */
async function ofAPair(engine: OwnName, row: GateRow, rounds: number): ReturnType<typeof takeTurns> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-encryption-'));
  const subjects: Subject[] = [];
  try {
    for (const encrypted of [false, true])
      subjects.push(await startSubject(engine, { folder, encrypted }, SCALE));
    return await takeTurns(row, subjects, ({ length }) => length < rounds);
  } finally {
    for (const { target } of subjects) await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the CPU of a create in each round, in seconds. */
function report(plain: readonly number[], encrypted: readonly number[], most: number): void {
  const more = encrypted.map((cost, round) => (cost - (plain[round] ?? NaN)) * 1e6);
  const micro = (costs: readonly number[]): string => (median(costs) * 1e6).toFixed(0);
  const cost = median(more);
  process.stdout.write(
    `${table(
      ['create SharedSecret', 'CPU, µs'],
      [
        ['not encrypted', micro(plain)],
        ['encrypted', micro(encrypted)],
      ],
    )}\n` +
      `encryption costs ${cost.toFixed(1)} µs, the middle of ${more.length} rounds ` +
      `(${Math.min(...more).toFixed(1)} to ${Math.max(...more).toFixed(1)}); load average ${loadavg()[0]?.toFixed(0)}\n`,
  );
  if (!(cost <= most)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
