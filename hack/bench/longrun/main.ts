/** A long run: one server under a steady churn, and whether what it takes grows (`make long-run`). */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '../client.js';
import { startOurs } from '../targets/ours.js';
import type { Target } from '../targets/target.js';
import { pickJob, prepare, type Churn } from './churn.js';
import { createPace, work } from './pace.js';
import { chartOf, ratesOf, reportOf } from './report.js';
import { takeSample, type Sample, type Sampled } from './sample.js';
import { follow } from './watches.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh long-run [--duration 1h] [--rate N] [--out FOLDER]
  --duration  such as 90s, 10m or 1h (1h)
  --rate      writes a second (200)
  --out       where samples.jsonl, report.md and long-run.svg go (.tools/results/long-run)`;

const WORKERS = 128;
const WATCHES = 40;
/** Until what the load held is closed. */
const REST_MS = 15_000;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

const say = (text: string): void => void process.stderr.write(`long-run: ${text}\n`);

/** Throws an Error that says what is wrong. */
function secondsOf(text: string): number {
  const [, count, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`--duration: "${text}" is no duration such as 90s, 10m or 1h`);
  return Number(count) * (UNITS[unit] ?? 1);
}

interface LongRun {
  readonly samples: readonly Sample[];
  /** After all that was open is closed. */
  readonly atRest: Sample;
  readonly failures: readonly string[];
}

interface Settings {
  readonly seconds: number;
  readonly rate: number;
  readonly out: string;
}

async function churnAndSample(target: Target, folder: string, settings: Settings): Promise<LongRun> {
  const { seconds, rate, out } = settings;
  const { endpoint, pid } = target;
  const client = createClient(endpoint, 32);
  const sampled: Sampled = { pid, folder: join(folder, 'data', 'store'), client: createClient(endpoint, 1) };
  await prepare(client);
  const pace = createPace(rate);
  const churn: Churn = { endpoint, client, pace, writes: 0, next: 0, endings: new Set(), failures: [] };
  const watched = { opened: 0, events: 0 };
  const begun = performance.now();
  const elapsed = (): number => (performance.now() - begun) / 1000;
  const isOver = (): boolean => elapsed() > seconds;
  const samples: Sample[] = [];
  const keepSampling = async (): Promise<void> => {
    while (!isOver()) {
      const sample = await takeSample(sampled, elapsed(), churn.writes);
      samples.push(sample);
      appendFileSync(join(out, 'samples.jsonl'), `${JSON.stringify(sample)}\n`);
      await sleep(Math.min(10_000, seconds * 10));
    }
  };
  const watches = Array.from({ length: WATCHES }, (_, at) =>
    follow(endpoint, at, isOver, watched).catch((error: unknown) => void churn.failures.push(String(error))),
  );
  await Promise.all([work(WORKERS, isOver, () => pickJob(churn)), keepSampling(), ...watches]);
  const took = elapsed();
  pace.end();
  say(
    `${churn.writes} writes in ${Math.round(took)} s, ${(churn.writes / took).toFixed(0)} a second; ` +
      `${churn.next} objects made and ended; ${watched.opened} watches opened, ${watched.events} events`,
  );
  await Promise.all(churn.endings);
  client.close();
  await sleep(REST_MS);
  const atRest = await takeSample(sampled, elapsed(), churn.writes);
  return { samples, atRest, failures: churn.failures };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      duration: { type: 'string', default: '1h' },
      rate: { type: 'string', default: '200' },
      out: { type: 'string', default: '.tools/results/long-run' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const settings = { seconds: secondsOf(values.duration), rate: Number(values.rate), out: values.out };
  rmSync(settings.out, { recursive: true, force: true });
  mkdirSync(settings.out, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'long-run-'));
  const target = await startOurs('embedded', { folder });
  try {
    const { samples, atRest, failures } = await churnAndSample(target, folder, settings);
    const { text, growing } = reportOf(samples, atRest);
    process.stdout.write(text);
    writeFileSync(join(settings.out, 'report.md'), text);
    writeFileSync(join(settings.out, 'long-run.svg'), chartOf(samples));
    if (failures.length > 0) throw new Error(`${failures.length} requests failed, the first: ${failures[0]}`);
    say(`writes a second in each quarter: ${ratesOf(samples).join(', ')}; what is open follows the rate`);
    if (growing.length > 0) throw new Error(`what grows by more than noise: ${growing.join(', ')}`);
  } finally {
    await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(messageOf(error));
  process.exit(1);
});
