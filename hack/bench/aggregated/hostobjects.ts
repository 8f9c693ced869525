/**
 * Measures what requests that are not ours cost a kube-apiserver behind which our server holds many objects, beside one behind
 * which it holds none, in turns; see docs/contributing/measurements.md. Fails where one costs more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startOwnAggregated, type AggregatedHost } from '../../../test/fixtures/host/aggregatedhost.js';
import { made } from '../../../test/fixtures/host/apiservice.js';
import { ours } from '../../../test/fixtures/host/backends.js';
import { NEWEST_HOST, type OwnHost } from '../../../test/fixtures/host/hostcluster.js';
import { bound, grant, rule, type Right } from '../../../test/fixtures/host/hostidentity.js';
import { ADMIN_TOKEN, VIEWER_TOKEN } from '../../../test/fixtures/servers/server.js';
import { createClient, must, type Client } from '../client.js';
import { cpuSeconds } from '../cpu.js';
import { applyLoad } from '../load.js';
import { create, createConfigMap, nameOf, objectBody, pathOf } from '../objects.js';
import { table } from '../report.js';

const NAMESPACE = 'shared';
const LISTED = 100;
const CLIENTS = 16;
const FILLERS = 32;
const FILL_SECONDS = 1_800;
/** Two hosts alike differ by less, in the middle of five turns. */
const ALIKE = 1.1;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    objects: { type: 'string', default: '100000' },
    // How many of them have an access rule, which is a Role and a RoleBinding at the host.
    shared: { type: 'string', default: '0' },
  },
});
const [OBJECTS, SHARED] = [Number(values.objects), Number(values.shared)];

/** A user with a Role in the namespace that holds the objects, so that rights are looked for there. */
const RIGHTS: readonly Right[] = [
  {
    kind: 'Role',
    metadata: { name: 'bench', namespace: NAMESPACE },
    rules: [rule('', ['configmaps'], ['*'])],
  } as Right,
  bound({ name: 'bench', namespace: NAMESPACE }, 'Role', 'bench', {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'User',
    name: 'viewer',
  }),
];

const configMaps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

interface Row {
  readonly name: string;
  readonly operations: number;
  readonly operate: (client: Client, index: number) => Promise<number>;
}

const bytes = async (client: Client, path: string): Promise<number> =>
  (await must(client, { path })).body.length;

const ROWS: readonly Row[] = [
  {
    name: 'GET of a ConfigMap',
    operations: 4_000,
    operate: (client, index) => bytes(client, `${configMaps}/${nameOf(index % LISTED)}`),
  },
  {
    name: `LIST of ${LISTED} ConfigMaps`,
    operations: 400,
    operate: (client) => bytes(client, `${configMaps}?limit=${LISTED}`),
  },
  {
    name: 'create of a ConfigMap',
    operations: 1_500,
    operate: (client, index) => createConfigMap(client, NAMESPACE, index),
  },
];

const clientOf = (behind: AggregatedHost, token: string): Client =>
  createClient({ port: Number(new URL(behind.host.url).port), token }, CLIENTS);

async function prepare(behind: AggregatedHost, objects: number): Promise<void> {
  await made(behind.host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await grant(behind.host, RIGHTS);
  const client = clientOf(behind, ADMIN_TOKEN);
  await all(LISTED, (index) => createConfigMap(client, NAMESPACE, index));
  client.close();
  // On its own port, as the host would take half of the time.
  const direct = createClient({ port: behind.port, token: ADMIN_TOKEN }, FILLERS);
  const begun = performance.now();
  await all(objects, (index) =>
    index < SHARED ? createShared(direct, index) : create(direct, NAMESPACE, index),
  );
  direct.close();
  if (objects > 0) {
    const seconds = (performance.now() - begun) / 1000;
    process.stderr.write(`bench: ${objects} objects made in ${seconds.toFixed(0)} s\n`);
    await untilShared(behind, Math.min(SHARED, objects));
  }
}

async function all(operations: number, operate: (index: number) => Promise<number>): Promise<void> {
  const done = await applyLoad(FILLERS, { operations, seconds: FILL_SECONDS }, operate);
  if (done.operations < operations)
    throw new Error(`only ${done.operations} of ${operations} objects were made`);
}

async function createShared(client: Client, index: number): Promise<number> {
  const object = JSON.parse(objectBody(NAMESPACE, nameOf(index), index)) as { spec: object };
  const access = [{ verbs: ['get'], users: [`user-${index}`] }];
  const body = JSON.stringify({ ...object, spec: { ...object.spec, access } });
  return (await must(client, { method: 'POST', path: pathOf(NAMESPACE), body })).body.length;
}

/** Resolves when the host has a role for each, besides that of the user: minutes after thousands were made. */
async function untilShared({ host }: AggregatedHost, count: number): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles?limit=1`;
  for (let shared = -1; shared !== count + 1; await sleep(500)) {
    const { items, metadata } = JSON.parse((await host.api.send('GET', path)).text) as RoleList;
    shared = items.length + (metadata.remainingItemCount ?? 0);
  }
}

interface RoleList {
  readonly items: readonly unknown[];
  readonly metadata: { readonly remainingItemCount?: number };
}

/** CPU of the kube-apiserver for each operation, in seconds. */
async function costOf(
  behind: AggregatedHost<OwnHost>,
  { operations, operate }: Row,
  first: number,
): Promise<number> {
  const client = clientOf(behind, VIEWER_TOKEN);
  const pid = behind.host.pid();
  const before = cpuSeconds(pid);
  const bounds = { operations: values.quick ? operations / 4 : operations, seconds: 60 };
  const done = await applyLoad(CLIENTS, bounds, (index) => operate(client, first + index));
  client.close();
  return (cpuSeconds(pid) - before) / done.operations;
}

const middle = (costs: readonly number[]): number =>
  [...costs].sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;

/** Writes the table, and answers the names of rows that cost more. */
async function measured(none: AggregatedHost<OwnHost>, many: AggregatedHost<OwnHost>): Promise<string[]> {
  let next = LISTED;
  const rows: string[][] = [];
  const dearer: string[] = [];
  for (const row of ROWS) {
    const costs: [number[], number[]] = [[], []];
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      const [without, withThem] = [await costOf(none, row, next), await costOf(many, row, next)];
      next += row.operations;
      // The first round warms both up.
      if (round > 0) costs[0].push(without) && costs[1].push(withThem);
    }
    const ratio = middle(costs[1].map((cost, round) => cost / (costs[0][round] as number)));
    const micros = (seconds: readonly number[]): string => `${(middle(seconds) * 1e6).toFixed(0)} µs`;
    rows.push([row.name, micros(costs[0]), micros(costs[1]), ratio.toFixed(2)]);
    if (ratio > ALIKE) dearer.push(row.name);
  }
  const named = SHARED === 0 ? `with ${OBJECTS}` : `with ${OBJECTS}, ${SHARED} with an access rule`;
  process.stdout.write(table(["host's CPU", 'with none of our objects', named, 'ratio'], rows));
  return dearer;
}

async function main(): Promise<void> {
  const none = await startOwnAggregated(NEWEST_HOST, ours());
  try {
    const many = await startOwnAggregated(NEWEST_HOST, ours());
    try {
      await prepare(none, 0);
      await prepare(many, OBJECTS);
      const dearer = await measured(none, many);
      const verdict = dearer.length === 0 ? 'no request' : dearer.join(', ');
      process.stdout.write(`\n${verdict} costs the host more than ${ALIKE} times as much\n`);
      if (dearer.length > 0) process.exitCode = 1;
    } finally {
      await many.stop();
    }
  } finally {
    await none.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
