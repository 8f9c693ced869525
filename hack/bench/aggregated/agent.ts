/**
 * Measures what the agent of a connected cluster adds to requests: the same ones to kube-apiserver, through a plain proxy, to the
 * agent's port, and through the management API and the agent's tunnel, in turns; see docs/contributing/measurements.md.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { AgentProcess } from '../../../test/fixtures/agents/agentprocess.js';
import { made } from '../../../test/fixtures/host/apiservice.js';
import { findProgram } from '../../../test/fixtures/stores/etcd.js';
import {
  NEWEST_HOST,
  startHost,
  type HostCluster,
  type OwnHost,
} from '../../../test/fixtures/host/hostcluster.js';
import { bound, grant, rule, type Right } from '../../../test/fixtures/host/hostidentity.js';
import { startServer, VIEWER_TOKEN, type ServerFixture } from '../../../test/fixtures/servers/server.js';
import {
  agentUser,
  peopleAndClusters,
  startDialingAgent,
  tokenOf,
  untilConnected,
} from '../../../test/fixtures/agents/tunnel.js';
import { createClient, must, type Endpoint } from '../client.js';
import { applyLoad, percentile } from '../load.js';
import { measure } from '../measure.js';
import { dataOf, nameOf } from '../objects.js';
import { agentReport, type Cost, type Way } from './agentreport.js';

const NAMESPACE = 'bench';
const OBJECTS = 100;
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/** How many ask at a time: one tells what a request waits for, many what it costs. */
const ROWS = [
  { name: 'GET ConfigMap, 1 client', clients: 1, path: (index: number) => `/${nameOf(index % OBJECTS)}` },
  { name: 'GET ConfigMap, 16 clients', clients: 16, path: (index: number) => `/${nameOf(index % OBJECTS)}` },
  { name: `LIST ${OBJECTS}, 2 clients`, clients: 2, path: () => '' },
];

/** Where requests of a way go, and whose CPU counts. */
interface Target {
  readonly endpoint: Endpoint;
  readonly prefix: string;
  readonly pid: number;
  readonly storePid?: number;
}

const RIGHTS: readonly Right[] = [
  { kind: 'ClusterRole', metadata: { name: 'bench' }, rules: [rule('', ['configmaps'], ['*'])] } as Right,
  ...['viewer', 'management:anna'].map((name) =>
    bound({ name }, 'ClusterRole', 'bench', { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }),
  ),
];

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
});
const BOUNDS = options.quick ? { operations: 1_000, seconds: 1 } : { operations: 20_000, seconds: 20 };
/** Until V8 is done with the path of a request. */
const WARM_UP = options.quick ? { operations: 2_000, seconds: 2 } : { operations: 10_000, seconds: 30 };

const say = (text: string): void => void process.stderr.write(`bench: ${text}\n`);

async function main(): Promise<void> {
  const ending: (() => Promise<unknown>)[] = [];
  try {
    say('starting kube-apiserver, the server and the agent');
    const host = await startHost(NEWEST_HOST);
    ending.push(() => host.stop());
    const server = await startServer();
    ending.push(() => server.remove());
    await prepare(host);
    const { anna } = await peopleAndClusters(server);
    const [key, token] = [await agentUser(server, 'east'), await tokenOf(server, anna)];
    const agent = await startDialingAgent(server, { cluster: 'east', key, kubeconfig: host.kubeconfig });
    ending.push(() => agent.stop());
    await untilConnected(server, token);
    const proxy = await startProxy(host);
    if (proxy !== undefined) ending.push(() => Promise.resolve(proxy.process.kill()));
    process.stdout.write(await compare(targetsOf(host, { server, agent, proxy }, token)));
  } finally {
    for (const end of ending.reverse()) await end();
  }
}

async function prepare(host: HostCluster): Promise<void> {
  await made(host.api, '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await grant(host, RIGHTS);
  for (let index = 0; index < OBJECTS; index++) {
    const name = nameOf(index);
    await made(host.api, CONFIG_MAPS, { metadata: { name }, data: dataOf(NAMESPACE, name) });
  }
}

interface Proxy {
  readonly process: ChildProcess;
  readonly port: string;
}

/** Undefined: it is not built. */
async function startProxy({ url, certificates }: HostCluster): Promise<Proxy | undefined> {
  const program = findProgram('reverseproxy');
  if (program === undefined) return undefined;
  const { caFile, serverCertFile, serverKeyFile } = certificates;
  const flags = { server: url, 'certificate-authority': caFile, 'tls-cert-file': serverCertFile };
  const args = Object.entries({ ...flags, 'tls-private-key-file': serverKeyFile });
  const child = spawn(
    program,
    args.map(([flag, value]) => `--${flag}=${value}`),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { process: child, port: line.toString().trim() };
}

interface Measured {
  readonly server: ServerFixture;
  readonly agent: AgentProcess;
  readonly proxy: Proxy | undefined;
}

function targetsOf(
  host: OwnHost,
  { server, agent, proxy }: Measured,
  token: string,
): ReadonlyMap<Way, Target> {
  const at = (url: string, bearer: string): Endpoint => ({ port: Number(new URL(url).port), token: bearer });
  const direct: Target = { endpoint: at(host.url, VIEWER_TOKEN), prefix: '', pid: host.pid() };
  const proxied: Target | undefined = proxy && {
    endpoint: at(`https://127.0.0.1:${proxy.port}`, VIEWER_TOKEN),
    prefix: '',
    pid: proxy.process.pid ?? 0,
  };
  return new Map<Way, Target>([
    ['direct', direct],
    ...(proxied === undefined ? [] : ([['proxy', proxied]] as const)),
    ['agent', { endpoint: at(agent.url, token), prefix: '/kubernetes/cluster', pid: agent.pid }],
    [
      'tunnel',
      {
        endpoint: at(server.url, token),
        prefix: '/kubernetes/cluster/east',
        pid: agent.pid,
        storePid: server.pid(),
      },
    ],
  ]);
}

/** The ways take turns, so that what the machine does in the meantime meets them alike. */
async function compare(targets: ReadonlyMap<Way, Target>): Promise<string> {
  const results = new Map(ROWS.map(({ name }) => [name, new Map<Way, Cost[]>()]));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const row of ROWS)
      for (const [way, target] of targets) {
        say(`${way}: ${row.name}, round ${round + 1}`);
        const costs = results.get(row.name)?.get(way) ?? [];
        results.get(row.name)?.set(way, [...costs, await costOf(row, target, round)]);
      }
  return agentReport(results);
}

async function costOf(
  { clients, path }: (typeof ROWS)[number],
  { endpoint, prefix, pid, storePid }: Target,
  round: number,
): Promise<Cost> {
  const client = createClient(endpoint, clients);
  const ask = async (index: number): Promise<number> =>
    (await must(client, { path: `${prefix}${CONFIG_MAPS}${path(index)}` })).body.length;
  if (round === 0) await applyLoad(clients, WARM_UP, ask);
  const run = () => applyLoad(clients, BOUNDS, ask);
  const { value, storeCpu, load } = await measure({ pid, storePid, eventLoop: false }, client, run);
  client.close();
  return { p50: percentile(load?.latencies ?? [], 0.5), cpu: value, serverCpu: storeCpu };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
});
