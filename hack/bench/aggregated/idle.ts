/**
 * Measures what two servers behind one kube-apiserver cost while nobody asks them anything, and the memory of the one that
 * is asked: with no objects, with 10,000, and after lists of them; see docs/contributing/measurements.md.
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  startOwnAggregated,
  startBeside,
  type AggregatedHost,
} from '../../../test/fixtures/host/aggregatedhost.js';
import { made } from '../../../test/fixtures/host/apiservice.js';
import { ours } from '../../../test/fixtures/host/backends.js';
import { NEWEST_HOST } from '../../../test/fixtures/host/hostcluster.js';
import type { ServerProcess } from '../../../test/fixtures/servers/serverprocess.js';
import { ADMIN_TOKEN } from '../../../test/fixtures/servers/server.js';
import { createClient, must, type Client } from '../client.js';
import { cpuSeconds, residentBytes } from '../cpu.js';
import { applyLoad } from '../load.js';
import { nameOf, objectBody, pathOf } from '../objects.js';
import { table } from '../report.js';

const NAMESPACE = 'kept';
const CLIENTS = 8;
const LISTERS = 4;
/** What is compiled after a start is over by then. V8 collects the whole heap once more up to two minutes later. */
const SETTLE_MS = 30_000;
const QUICK_SETTLE_MS = 15_000;
/** A kubelet's, by the chart's probes. */
const PROBES = [
  ['/readyz', 5_000],
  ['/livez', 10_000],
] as const;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    objects: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
  },
});
const seconds = values.quick ? 20 : Number(values.seconds);
const settle = (): Promise<void> => sleep(values.quick ? QUICK_SETTLE_MS : SETTLE_MS);

/** Asks as a kubelet does: each time by a connection of its own. */
function probe({ url }: ServerProcess): () => void {
  const timers = PROBES.map(([path, everyMs]) =>
    setInterval(() => {
      const request = get(`${url}${path}`, { agent: false, rejectUnauthorized: false }, (answer) =>
        answer.resume(),
      );
      request.on('error', () => undefined);
    }, everyMs),
  );
  return () => timers.forEach(clearInterval);
}

/** Thousandths of a CPU that each process takes while nothing is asked. */
async function idle(servers: readonly ServerProcess[]): Promise<string[]> {
  const before = servers.map((server) => cpuSeconds(server.pid()));
  await sleep(seconds * 1000);
  return servers.map((server, at) => {
    const used = cpuSeconds(server.pid()) - (before[at] as number);
    return ((used / seconds) * 1000).toFixed(1);
  });
}

const MIB = 1024 * 1024;
const resident = (server: ServerProcess): string => (residentBytes(server.pid()) / MIB).toFixed(0);
/** VmHWM, since the start. */
const peak = (server: ServerProcess): string => {
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024).toFixed(0);
};

async function fill(client: Client): Promise<void> {
  const path = pathOf(NAMESPACE);
  const operations = Number(values.objects);
  await applyLoad(CLIENTS, { operations, seconds: 600 }, async (index) => {
    const body = objectBody(NAMESPACE, nameOf(index), index);
    return (await must(client, { method: 'POST', path, body })).body.length;
  });
}

async function measured(first: AggregatedHost, servers: readonly ServerProcess[]): Promise<string> {
  const rows: string[][] = [];
  const note = async (what: string): Promise<void> => {
    await settle();
    const memory = servers.map((server) => `${resident(server)} (${peak(server)}) MiB`);
    rows.push([what, ...(await idle(servers)).map((cpu) => `${cpu} mCPU`), ...memory]);
    process.stderr.write(`bench: ${rows.at(-1)?.join(' | ')}\n`);
  };
  await note('no objects');
  await made(first.host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const client = createClient({ port: Number(new URL(first.host.url).port), token: ADMIN_TOKEN }, CLIENTS);
  await fill(client);
  await note(`${values.objects} objects, just made`);
  const lists = { operations: 1_000, seconds: values.quick ? 5 : 20 };
  await applyLoad(LISTERS, lists, async () => (await must(client, { path: pathOf(NAMESPACE) })).body.length);
  client.close();
  await note(`after lists of all, ${LISTERS} at a time`);
  return table(['', 'CPU, the leader', 'CPU, the other', 'memory (most), the leader', 'the other'], rows);
}

async function main(): Promise<void> {
  const first = await startOwnAggregated(NEWEST_HOST, ours());
  const other = await startBeside(first, ours());
  const servers = [first.server, other];
  const ends = servers.map(probe);
  process.stderr.write(`bench: the leader is process ${first.server.pid()}, the other ${other.pid()}\n`);
  try {
    process.stdout.write(await measured(first, servers));
  } finally {
    for (const end of ends) end();
    await other.kill();
    await first.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
