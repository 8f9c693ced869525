/** A backup of a store of many objects while clients write and read: how long it takes, and p99 of the others before and meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbedded } from '../../../pkg/storage/embedded/embedded.js';
import { openEtcd } from '../../../pkg/storage/etcd/open.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { createClient, must } from '../client.js';
import { applyLoad, percentile, type Load } from '../load.js';
import { createConfigMap } from '../objects.js';
import { table } from '../report.js';
import { startEtcd } from '../targets/etcd.js';
import { startOurs } from '../targets/ours.js';
import type { Target } from '../targets/target.js';
import { messageOf } from '../../../pkg/apimachinery/caught.js';

const USAGE = `Usage: hack/bench/run.sh backup-load [--engine embedded|etcd] [--objects N] [--seconds N] [--folder FOLDER]
  --engine    of the store (embedded)
  --objects   that the store has (100000)
  --seconds   that others are measured for, before (20); meanwhile: until the backup has ended
  --folder    where the store and the backup are (.tools/results)`;

const NAMESPACE = 'many';
const CLIENTS = 8;
/** Records of a commit. */
const BATCH = 50;

/** Copies of one object that the server has written: much faster than by requests. */
async function fill(store: Storage, objects: number): Promise<void> {
  const prefix = `registry/core/configmaps/${NAMESPACE}/`;
  const { records } = await store.scan({ start: prefix, end: `${prefix}~` });
  const text = records[0]?.value.toString() ?? '';
  // After the JSON there is a line that tells its schema.
  const json = text.slice(0, text.lastIndexOf('\n'));
  const { name, uid } = (JSON.parse(json) as { metadata: { name: string; uid: string } }).metadata;
  for (let first = 0; first < objects; first += BATCH)
    await store.commit(
      Array.from({ length: Math.min(BATCH, objects - first) }, (_, at) => {
        const copy = `copy-${first + at}`;
        const own = uid.replace(/.{12}$/, String(first + at).padStart(12, '0'));
        const value = Buffer.from(text.replace(name, copy).replace(uid, own));
        return { key: prefix + copy, value, expect: 'absent' as const };
      }),
    );
}

async function filled(engine: 'embedded' | 'etcd', folder: string, objects: number): Promise<void> {
  const server = await startOurs(engine, { folder });
  const client = createClient(server.endpoint, 1);
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await must(client, { method: 'POST', path: '/api/v1/namespaces', body });
  await createConfigMap(client, NAMESPACE, 0);
  client.close();
  await server.stop();
  const etcd = engine === 'etcd' ? await startEtcd(folder) : undefined;
  const store = await (etcd === undefined
    ? openEmbedded({ directory: join(folder, 'data', 'store') })
    : openEtcd({ endpoints: [etcd.url], prefix: '/management' }));
  await fill(store, objects);
  await store.close();
  await etcd?.stop();
}

interface Both {
  readonly create: Load;
  readonly get: Load;
}

/** Creates and GETs, until it is over. */
async function others({ endpoint }: Target, from: number, isOver: () => boolean): Promise<Both> {
  const client = createClient(endpoint, 2 * CLIENTS);
  const bounds = { operations: Infinity, seconds: 1 };
  const loads: Record<keyof Both, Load[]> = { create: [], get: [] };
  let count = from;
  const until = async (kind: keyof Both, operate: () => Promise<number>): Promise<void> => {
    while (!isOver()) loads[kind].push(await applyLoad(CLIENTS, bounds, operate));
  };
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps/copy-7`;
  await Promise.all([
    until('create', () => createConfigMap(client, NAMESPACE, (count += 1))),
    until('get', async () => (await must(client, { path })).body.length),
  ]);
  client.close();
  return { create: together(loads.create), get: together(loads.get) };
}

function together(loads: readonly Load[]): Load {
  const latencies = loads.flatMap((load) => load.latencies).sort((a, b) => a - b);
  const sum = (member: 'operations' | 'seconds' | 'bytes'): number =>
    loads.reduce((total, load) => total + load[member], 0);
  return { operations: sum('operations'), seconds: sum('seconds'), bytes: sum('bytes'), latencies };
}

async function backup(target: Target, folder: string, etcdUrl: string | undefined): Promise<number> {
  const place = etcdUrl === undefined ? `--data-dir=${join(folder, 'data')}` : `--etcd-servers=${etcdUrl}`;
  const keys = `--encryption-key-file=${join(folder, 'encryption.key')}`;
  const began = performance.now();
  const args = ['dist/cmd/apiserver/main.js', 'backup', 'create', join(folder, 'backup'), place, keys];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the backup of ${target.name} failed`);
  return (performance.now() - began) / 1000;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'embedded' },
      objects: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: '20' },
      folder: { type: 'string', default: '.tools/results' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${USAGE}\n`);
  const { engine } = values;
  if (engine !== 'embedded' && engine !== 'etcd') throw new Error('--engine: embedded or etcd');
  mkdirSync(values.folder, { recursive: true });
  const folder = mkdtempSync(join(resolve(values.folder), 'backup-load-'));
  try {
    await filled(engine, folder, Number(values.objects));
    const server = await startOurs(engine, { folder });
    try {
      await measure(server, folder, Number(values.seconds));
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(server: Target, folder: string, seconds: number): Promise<void> {
  const windowOf = (length: number): (() => boolean) => {
    const end = performance.now() + length * 1000;
    return () => performance.now() > end;
  };
  const warm = await others(server, 0, windowOf(seconds / 2));
  const first = warm.create.operations + CLIENTS;
  const before = await others(server, first, windowOf(seconds));
  let isOver = false;
  const backedUp = backup(server, folder, server.storeUrl).finally(() => (isOver = true));
  const next = first + before.create.operations + CLIENTS;
  const [took, meanwhile] = await Promise.all([backedUp, others(server, next, () => isOver)]);
  const row = (when: string, kind: keyof Both, { latencies, operations, seconds: of }: Load): string[] => [
    `${kind}, ${CLIENTS} clients`,
    when,
    Math.round(operations / of).toString(),
    ...[0.5, 0.99].map((share) => `${percentile(latencies, share).toFixed(1)} ms`),
  ];
  const rows = (['create', 'get'] as const).flatMap((kind) => [
    row('before', kind, before[kind]),
    row('meanwhile', kind, meanwhile[kind]),
  ]);
  process.stdout.write(
    `${table(['others', 'when', 'ops/s', 'p50', 'p99'], rows)}\n` +
      `the backup on ${server.name} took ${took.toFixed(1)} s and has ${(statSync(join(folder, 'backup')).size / 1e6).toFixed(0)} MB; ` +
      `load average ${loadavg()[0]?.toFixed(0)}\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${messageOf(error)}\n`);
  process.exitCode = 1;
});
