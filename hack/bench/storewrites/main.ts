/** Writes that go straight to the embedded store beside writes to an etcd on the same disk, in turns: p50 and p99 of 32 writers. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Etcd3 } from 'etcd3';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { applyLoad, percentile, type Load } from '../load.js';
import { table } from '../report.js';
import { startEtcd } from '../targets/etcd.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh store-writes [--rounds N] [--seconds N] [--writers N] [--bytes N] [--folder FOLDER] [--most RATIO]
  --rounds    turns of each store (9)
  --seconds   of each turn (5)
  --writers   how many write at a time (32)
  --bytes     of a value (1600)
  --folder    where both stores are, on the disk that is measured (.tools/results)
  --most      fails where the embedded store's p99 is more than so many times that of etcd (2)`;

/** A store that is measured: `write` is answered when it is on disk. */
interface Subject {
  readonly name: 'embedded' | 'etcd';
  readonly write: (key: string, value: Buffer) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Each writer overwrites keys of its own. */
const KEYS = 1000;

async function embedded(folder: string): Promise<Subject> {
  const store = await openEmbedded({ directory: join(folder, 'embedded') });
  return {
    name: 'embedded',
    write: (key, value) => store.commit([{ key, value, expect: 'any' }]),
    close: () => store.close(),
  };
}

async function etcd(folder: string): Promise<Subject> {
  const running = await startEtcd(folder);
  const client = new Etcd3({ hosts: running.url });
  return {
    name: 'etcd',
    write: (key, value) => client.put(key).value(value).exec(),
    async close() {
      client.close();
      await running.stop();
    },
  };
}

interface Turn {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
}

const turnOf = ({ latencies, operations, seconds }: Load): Turn => ({
  p50: percentile(latencies, 0.5),
  p99: percentile(latencies, 0.99),
  rate: operations / seconds,
});

const median = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '9' },
      seconds: { type: 'string', default: '5' },
      writers: { type: 'string', default: '32' },
      bytes: { type: 'string', default: '1600' },
      folder: { type: 'string', default: '.tools/results' },
      most: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const [rounds, seconds, writers] = [values.rounds, values.seconds, values.writers].map(Number) as [
    number,
    number,
    number,
  ];
  mkdirSync(values.folder, { recursive: true });
  const folder = mkdtempSync(join(resolve(values.folder), 'store-writes-'));
  const subjects = [await embedded(folder), await etcd(folder)];
  const turns: Record<Subject['name'], Turn[]> = { embedded: [], etcd: [] };
  const value = Buffer.alloc(Number(values.bytes), 'v');
  const turn = async ({ name, write }: Subject, measured: boolean): Promise<void> => {
    const load = await applyLoad(writers, { operations: Infinity, seconds }, async (index, worker) => {
      await write(`writes/${worker}/${index % KEYS}`, value);
      return value.length;
    });
    if (measured) turns[name].push(turnOf(load));
  };
  try {
    // The first turn of each warms up.
    for (let round = -1; round < rounds; round++)
      for (const subject of round % 2 === 0 ? subjects : [...subjects].reverse())
        await turn(subject, round >= 0);
  } finally {
    for (const subject of subjects) await subject.close();
    rmSync(folder, { recursive: true, force: true });
  }
  report(turns, Number(values.most));
}

function report(turns: Readonly<Record<Subject['name'], readonly Turn[]>>, most: number): void {
  const rows = (['embedded', 'etcd'] as const).map((name) => {
    const all = turns[name];
    const ms = (member: 'p50' | 'p99', pick = median): string =>
      `${pick(all.map((turn) => turn[member])).toFixed(1)} ms`;
    const span = (member: 'p50' | 'p99'): string =>
      `${ms(member)} (${ms(member, (list) => Math.min(...list))} to ${ms(member, (list) => Math.max(...list))})`;
    return [name, Math.round(median(all.map(({ rate }) => rate))).toString(), span('p50'), span('p99')];
  });
  const ratios = turns.embedded.map(({ p99 }, at) => p99 / (turns.etcd[at]?.p99 ?? NaN));
  const ratio = median(ratios);
  process.stdout.write(
    `${table(['store', 'writes/s', 'p50', 'p99'], rows)}\n` +
      `p99 of the embedded store is ${ratio.toFixed(2)} times that of etcd, the middle of ${ratios.length} rounds ` +
      `(${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}); load average ${loadavg()[0]?.toFixed(0)}\n`,
  );
  if (!(ratio <= most)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
