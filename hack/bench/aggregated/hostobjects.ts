/**
 * Measures what requests that are not ours cost a kube-apiserver behind which our server holds many objects, beside one behind
 * which it holds none, in turns; see docs/measurements.md.
 */
import { parseArgs } from 'node:util';
import { startAggregated } from '../../../test/fixtures/aggregatedhost.js';
import type { AggregatedHost } from '../../../test/fixtures/aggregatedhost.js';
import { made } from '../../../test/fixtures/apiservice.js';
import { ours } from '../../../test/fixtures/backends.js';
import { NEWEST_HOST } from '../../../test/fixtures/hostcluster.js';
import { bound, grant, rule } from '../../../test/fixtures/hostidentity.js';
import type { Right } from '../../../test/fixtures/hostidentity.js';
import { ADMIN_TOKEN, VIEWER_TOKEN } from '../../../test/fixtures/server.js';
import { createClient, must, type Client } from '../client.js';
import { cpuSeconds } from '../cpu.js';
import { applyLoad } from '../load.js';
import { create, createConfigMap, nameOf } from '../objects.js';
import { table } from '../report.js';

const NAMESPACE = 'shared';
const LISTED = 100;
const CLIENTS = 16;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    objects: { type: 'string', default: '100000' },
  },
});

/** A user with a Role in the namespace that holds the objects, so that rights are looked for there. */
const RIGHTS: readonly Right[] = [
  {
    kind: 'Role',
    metadata: { name: 'bench', namespace: NAMESPACE },
    rules: [rule('', ['configmaps'], ['*'])],
  } as Right,
  bound({ name: 'bench', namespace: NAMESPACE }, 'Role', 'bench', {
    ...{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' },
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
    ...{ name: 'GET of a ConfigMap', operations: 4_000 },
    operate: (client, index) => bytes(client, `${configMaps}/${nameOf(index % LISTED)}`),
  },
  {
    ...{ name: `LIST of ${LISTED} ConfigMaps`, operations: 400 },
    operate: (client) => bytes(client, `${configMaps}?limit=${LISTED}`),
  },
  {
    ...{ name: 'create of a ConfigMap', operations: 1_500 },
    operate: (client, index) => createConfigMap(client, NAMESPACE, index),
  },
];

const clientOf = (behind: AggregatedHost, token: string): Client =>
  createClient({ port: Number(new URL(behind.host.url).port), token }, CLIENTS);

async function prepare(behind: AggregatedHost, objects: number): Promise<void> {
  await made(behind.host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await grant(behind.host, RIGHTS);
  const client = clientOf(behind, ADMIN_TOKEN);
  const all = { operations: objects, seconds: 1800 };
  await applyLoad(CLIENTS, all, (index) => create(client, NAMESPACE, index));
  const few = { operations: LISTED, seconds: 60 };
  await applyLoad(CLIENTS, few, (index) => createConfigMap(client, NAMESPACE, index));
  client.close();
}

/** CPU of the kube-apiserver for each operation, in seconds. */
async function costOf(behind: AggregatedHost, { operations, operate }: Row, first: number): Promise<number> {
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

async function measured(none: AggregatedHost, many: AggregatedHost): Promise<string> {
  let next = LISTED;
  const rows: string[][] = [];
  for (const row of ROWS) {
    const costs: [number[], number[]] = [[], []];
    for (let round = 0; round <= Number(values.rounds); round += 1) {
      const [without, withThem] = [await costOf(none, row, next), await costOf(many, row, next)];
      next += row.operations;
      // The first round warms both up.
      if (round > 0) costs[0].push(without) && costs[1].push(withThem);
    }
    const [without, withThem] = [middle(costs[0]), middle(costs[1])];
    const micros = (seconds: number): string => `${(seconds * 1e6).toFixed(0)} µs`;
    rows.push([row.name, micros(without), micros(withThem), (withThem / without).toFixed(2)]);
  }
  return table(["host's CPU", 'with none of our objects', `with ${values.objects}`, 'ratio'], rows);
}

async function main(): Promise<void> {
  const none = await startAggregated(NEWEST_HOST, ours());
  try {
    const many = await startAggregated(NEWEST_HOST, ours());
    try {
      await prepare(none, 0);
      await prepare(many, Number(values.objects));
      process.stdout.write(await measured(none, many));
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
