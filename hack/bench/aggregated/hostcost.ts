/**
 * Measures what creates through kube-apiserver cost that: SharedSecrets, each of an owner of its own, and ConfigMaps of the
 * same size, in turns; see docs/contributing/measurements.md.
 */
import { parseArgs } from 'node:util';
import { prepareGround, startBehind } from '../../../test/fixtures/host/aggregatedhost.js';
import { made } from '../../../test/fixtures/host/apiservice.js';
import { ours } from '../../../test/fixtures/host/backends.js';
import { NEWEST_HOST, startHost } from '../../../test/fixtures/host/hostcluster.js';
import { bound, grant, rule, type Right } from '../../../test/fixtures/host/hostidentity.js';
import { VIEWER_TOKEN } from '../../../test/fixtures/servers/server.js';
import { createClient, must } from '../client.js';
import { cpuSeconds } from '../cpu.js';
import { applyLoad, percentile } from '../load.js';
import { dataOf, nameOf, objectBody, pathOf } from '../objects.js';
import { table } from '../report.js';
import { WARM_UP } from './rows.js';

const NAMESPACE = 'created';
const CLIENTS = 32;

/** Of one round, per create: CPU in seconds. */
interface Cost {
  readonly rate: number;
  readonly p50: number;
  readonly host: number;
  readonly own: number;
}

const KINDS = {
  ConfigMap: {
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    body: (name: string): string =>
      JSON.stringify({ metadata: { name, labels: { app: 'bench' } }, data: dataOf(NAMESPACE, name) }),
  },
  SharedSecret: {
    path: pathOf(NAMESPACE),
    body: (name: string, index: number): string => objectBody(NAMESPACE, name, index),
  },
} as const;
type Kind = keyof typeof KINDS;

const RIGHTS: readonly Right[] = [
  {
    kind: 'ClusterRole',
    metadata: { name: 'bench' },
    rules: [rule('', ['configmaps'], ['*']), rule('management.svc.example', ['*'], ['*'])],
  } as Right,
  bound({ name: 'bench' }, 'ClusterRole', 'bench', {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'User',
    name: 'viewer',
  }),
];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
  },
});

async function main(): Promise<void> {
  const host = await startHost(NEWEST_HOST);
  const backend = ours();
  await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await grant(host, RIGHTS);
  const behind = await startBehind(host, backend, await prepareGround(backend));
  const client = createClient({ port: Number(new URL(host.url).port), token: VIEWER_TOKEN }, CLIENTS);
  let next = 0;
  const creates = (kind: Kind, operations: number) => {
    const { path, body } = KINDS[kind];
    return applyLoad(CLIENTS, { operations, seconds: 60 }, async () => {
      const index = next++;
      return (await must(client, { method: 'POST', path, body: body(nameOf(index), index) })).body.length;
    });
  };
  const round = async (kind: Kind): Promise<Cost> => {
    const before = [cpuSeconds(host.pid()), cpuSeconds(behind.server.pid())] as const;
    const { operations, seconds, latencies } = await creates(kind, values.quick ? 500 : 2000);
    const each = (pid: number, was: number): number => (cpuSeconds(pid) - was) / operations;
    return {
      rate: operations / seconds,
      p50: percentile(latencies, 0.5),
      host: each(host.pid(), before[0]),
      own: each(behind.server.pid(), before[1]),
    };
  };
  const measured: Record<Kind, Cost[]> = { ConfigMap: [], SharedSecret: [] };
  try {
    const kinds = Object.keys(KINDS) as Kind[];
    for (const kind of kinds) await creates(kind, WARM_UP);
    for (let at = 0; at < Number(values.rounds); at += 1)
      for (const kind of kinds) measured[kind].push(await round(kind));
    process.stdout.write(reported(measured));
  } finally {
    client.close();
    await behind.stop();
    await host.stop();
  }
}

function reported(measured: Readonly<Record<Kind, readonly Cost[]>>): string {
  const middle = (kind: Kind): Cost =>
    [...measured[kind]].sort((a, b) => a.host - b.host)[Math.floor(measured[kind].length / 2)] as Cost;
  const reference = middle('ConfigMap').host;
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const rows = (Object.keys(KINDS) as Kind[]).map((kind) => {
    const { rate, p50, host, own } = middle(kind);
    return [kind, rate.toFixed(0), ms(p50), ms(host * 1000), (host / reference).toFixed(2), ms(own * 1000)];
  });
  return table(['create', 'a second', 'p50', "host's CPU", 'of a ConfigMap', "our server's CPU"], rows);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
