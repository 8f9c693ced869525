/** Offers servers several times the load that they can take, and asks what is left of it, and what others feel. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient } from '../client.js';
import { table } from '../report.js';
import { startOurs } from '../targets/ours.js';
import { isOwn, type OwnName, type Target } from '../targets/target.js';
import { askCalmly, noCalm } from './calm.js';
import type { CrowdOptions, Order, Outcome } from './crowd.js';
import { HEAD, lineOf, missed, rateOf, type Burst, type Overloaded, type Round } from './report.js';
import { missingOf, seedTeams, teamTokens } from './team.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh overload [--engines LIST] [--protocols LIST] [--times N] [--rounds N] [--seconds N] [--deadline MS]
  --engines    embedded, etcd (embedded,etcd)
  --protocols  of HTTP that ordinary users speak: 2, 1 (2,1)
  --times      the best load, so many times, is offered (3)
  --rounds     how often the best is found and then exceeded (3)
  --seconds    of each load (10)
  --deadline   how long a client waits for an answer, in ms (5000)
  --program    the main.js of another build`;

const CROWD = fileURLToPath(new URL('crowd.js', import.meta.url));
/** Of the best: what servers are planned for. */
const STEADY = 0.6;
/** In which a server becomes as it was before a burst. */
const RECOVERY_SECONDS = 5;
/** Clients at a time when the best is looked for. */
const CLIENTS = [16, 64];

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

interface Plan {
  readonly times: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly deadlineMs: number;
  readonly program: string | undefined;
}

async function order(crowd: ChildProcess, what: Order): Promise<Outcome> {
  const over = new AbortController();
  const { signal } = over;
  crowd.send(what);
  try {
    const [outcome] = (await Promise.race([
      once(crowd, 'message', { signal }),
      once(crowd, 'exit', { signal }).then(() => Promise.reject(new Error('the generator ended'))),
    ])) as [Outcome];
    return outcome;
  } finally {
    over.abort();
  }
}

async function findBest(crowd: ChildProcess, seconds: number): Promise<Outcome> {
  const found: Outcome[] = [];
  for (const clients of CLIENTS) found.push(await order(crowd, { loop: 'closed', clients, seconds }));
  return found.reduce((best, one) => (rateOf(one) > rateOf(best) ? one : best));
}

async function burstOf(
  crowd: ChildProcess,
  rate: number,
  times: number,
  seconds: number,
): Promise<{ readonly burst: Burst; readonly made: readonly string[] }> {
  const open = (of: number, during: number) => order(crowd, { loop: 'open', rate: of, seconds: during });
  const steady = await open(rate, seconds);
  const much = await open(rate * times, seconds);
  const recovering = await open(rate, RECOVERY_SECONDS);
  const again = await open(rate, seconds);
  const made = [steady, much, recovering, again].flatMap((outcome) => outcome.made);
  return { burst: { steady, again }, made };
}

async function overload(
  { endpoint }: Target,
  name: string,
  protocol: CrowdOptions['protocol'],
  plan: Plan,
): Promise<Overloaded> {
  const { times, rounds: count, seconds, deadlineMs } = plan;
  const options: CrowdOptions = { port: endpoint.port, protocol, deadlineMs };
  const crowd = fork(CROWD, [JSON.stringify(options)]);
  const [before, during] = [noCalm(), noCalm()];
  const rounds: Round[] = [];
  const bursts: Burst[] = [];
  const made: string[] = [];
  try {
    await order(crowd, { loop: 'closed', clients: 32, seconds: 4 }); // warms the server up
    await askCalmly(endpoint, sleep(3000), noCalm());
    await askCalmly(endpoint, sleep(5000), before);
    for (let round = 0; round < count; round++) {
      const best = await findBest(crowd, seconds / 2);
      const rate = times * rateOf(best);
      const over = order(crowd, { loop: 'open', rate, seconds });
      await askCalmly(endpoint, over, during);
      rounds.push({ best, over: await over });
      made.push(...best.made, ...(await over).made);
      await sleep(500);
      const burst = burstOf(crowd, STEADY * rateOf(best), times, seconds);
      await askCalmly(endpoint, burst, during);
      bursts.push((await burst).burst);
      made.push(...(await burst).made);
    }
  } finally {
    crowd.disconnect();
  }
  const admin = createClient(endpoint, 1);
  const lost = await missingOf(admin, made);
  admin.close();
  return { name, rounds, bursts, lost, before, during };
}

async function measureEngine(
  engine: OwnName,
  protocols: readonly string[],
  plan: Plan,
): Promise<Overloaded[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-overload-'));
  const { program } = plan;
  const target = await startOurs(engine, { folder, tokens: teamTokens(), ...(program && { program }) });
  try {
    const admin = createClient(target.endpoint, 32);
    await seedTeams(admin);
    admin.close();
    const measured: Overloaded[] = [];
    for (const protocol of protocols) {
      if (protocol !== '1' && protocol !== '2') throw new Error('--protocols: 1 or 2');
      const name = `${engine}, HTTP/${protocol === '1' ? '1.1' : '2'}`;
      say(name);
      measured.push(await overload(target, name, protocol, plan));
    }
    return measured;
  } finally {
    await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<void> {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const { values } = parseArgs({
    options: {
      engines: text('embedded,etcd'),
      protocols: text('2,1'),
      times: text('3'),
      rounds: text('3'),
      seconds: text('10'),
      deadline: text('5000'),
      program: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const [times, rounds, seconds, deadlineMs] = [
    values.times,
    values.rounds,
    values.seconds,
    values.deadline,
  ].map(Number) as [number, number, number, number];
  const plan: Plan = { times, rounds, seconds, deadlineMs, program: values.program };
  const measured: Overloaded[] = [];
  for (const engine of values.engines.split(',')) {
    if (!isOwn(engine)) throw new Error('--engines: embedded or etcd');
    measured.push(...(await measureEngine(engine, values.protocols.split(','), plan)));
  }
  process.stdout.write(
    table(
      HEAD,
      measured.map((one) => lineOf(one, times)),
    ),
  );
  process.stdout.write(`\n${times} times the best; load average ${loadavg()[0]?.toFixed(0)}\n`);
  for (const one of measured)
    for (const aim of missed(one, times)) {
      say(`${one.name}: ${aim}`);
      process.exitCode = 1;
    }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(messageOf(error));
  process.exitCode = 1;
});
