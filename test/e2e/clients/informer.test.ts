/** The official JavaScript client: informer and watch during random writes, through a proxy that cuts connections. */
import { Agent } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  CustomObjectsApi,
  KubeConfig,
  Watch,
  makeInformer,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node';
import { startCuttingProxy, type CuttingProxy } from '../../fixtures/servers/cuttingproxy.js';
import { fetchFrom, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { randomNumbers } from '../../fixtures/clients/random.js';
import { eventually } from '../../fixtures/wait.js';

const WRITES = 1_000;
const NAMES = 60;
const SEED = Number(process.env.SEED ?? '7');
const GROUP = {
  group: 'management.svc.example',
  version: 'v1',
  namespace: 'default',
  plural: 'sharedsecrets',
};
const PATH = '/apis/management.svc.example/v1/namespaces/default/sharedsecrets';

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly version: string;
}

type Secret = KubernetesObject & { spec?: { displayName?: string } };
type SecretList = KubernetesListObject<Secret>;

let server: ServerFixture;
let proxy: CuttingProxy;
let config: KubeConfig;
const random = randomNumbers(SEED);
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

beforeAll(async () => {
  server = await startServer();
  proxy = await startCuttingProxy(server.port, () => 8_000 + Math.floor(random() * 80_000));
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('the kubeconfig has no current cluster');
  config.clusters = [{ ...cluster, server: `https://127.0.0.1:${proxy.port}` }];
});

afterAll(async () => {
  agent.destroy();
  await proxy.close();
  await server.remove();
});

/** Makes one random create, update or delete directly at the server. Returns the event that watches must deliver. */
async function writeOnce(present: Map<string, string>, sequence: number): Promise<Change> {
  const name = `s-${Math.floor(random() * NAMES)}`;
  const headers = { 'content-type': 'application/json' };
  const spec = { displayName: `written ${sequence}` };
  if (!present.has(name)) {
    const body = JSON.stringify({ metadata: { name }, spec });
    const version = await versionAfter('POST', PATH, { headers, body });
    present.set(name, version);
    return { type: 'ADDED', name, version };
  }
  if (random() < 0.3) {
    await versionAfter('DELETE', `${PATH}/${name}`, { headers, body: '{}' });
    present.delete(name);
    return { type: 'DELETED', name, version: '' };
  }
  const merge = { 'content-type': 'application/merge-patch+json' };
  const version = await versionAfter('PATCH', `${PATH}/${name}`, {
    headers: merge,
    body: JSON.stringify({ spec }),
  });
  present.set(name, version);
  return { type: 'MODIFIED', name, version };
}

async function versionAfter(
  method: string,
  path: string,
  options: { headers: Record<string, string>; body: string },
): Promise<string> {
  const answer = await fetchFrom(server.url + path, { method, agent, ...options });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}: ${answer.text}`);
  return (JSON.parse(answer.text) as Secret).metadata?.resourceVersion ?? '';
}

async function list(): Promise<SecretList> {
  return (await config.makeApiClient(CustomObjectsApi).listNamespacedCustomObject(GROUP)) as SecretList;
}

const versionsOf = (objects: readonly Secret[]): Record<string, string> =>
  Object.fromEntries(
    objects
      .map((object) => [object.metadata?.name ?? '', object.metadata?.resourceVersion ?? ''])
      .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );

const until = (happened: () => boolean, what: string): Promise<boolean> =>
  eventually(what, async () => happened());

/**
 * Watches from `version` on, and resumes at the last event after each cut. `streams` gets the events of each
 * connection.
 */
function watchThrough(version: string, streams: Change[][]): { stop(): void } {
  const watch = new Watch(config);
  let last = version;
  let stopped = false;
  let current: AbortController | undefined;

  const connect = async (): Promise<void> => {
    if (stopped) return;
    const events: Change[] = [];
    streams.push(events);
    const again = (): void => void setTimeout(() => void connect(), 10);
    const onEvent = (type: string, object: Secret): void => {
      last = object.metadata?.resourceVersion ?? '';
      events.push({ type: type as Change['type'], name: object.metadata?.name ?? '', version: last });
    };
    try {
      current = await watch.watch(PATH, { resourceVersion: last }, onEvent, again);
    } catch {
      again();
    }
  };
  void connect();
  return {
    stop() {
      stopped = true;
      current?.abort();
    },
  };
}

test(`an informer and a resumed watch over ${WRITES} random writes, seed ${SEED}`, async () => {
  const informer = makeInformer(config, PATH, list);
  let informing = true;
  const inform = (): void => {
    if (informing) informer.start().catch(() => setTimeout(inform, 10));
  };
  informer.on('error', () => setTimeout(inform, 10));
  const start = JSON.parse((await fetchFrom(server.url + PATH)).text) as SecretList;
  inform();
  const streams: Change[][] = [];
  const watching = watchThrough(start.metadata?.resourceVersion ?? '', streams);

  const present = new Map<string, string>();
  const written: Change[] = [];
  for (let sequence = 0; sequence < WRITES; sequence += 1) {
    written.push(await writeOnce(present, sequence));
    if (random() < 0.01) proxy.cutAll();
  }

  await until(() => streams.flat().length >= written.length, 'every event on the watch');
  const expected = Object.fromEntries([...present].sort(([a], [b]) => (a < b ? -1 : 1)));
  const stored = JSON.parse((await fetchFrom(server.url + PATH)).text) as SecretList;
  expect(versionsOf(stored.items)).toEqual(expected);
  await until(
    () => JSON.stringify(versionsOf(informer.list('default'))) === JSON.stringify(expected),
    `the informer's cache equal to the server's objects`,
  );
  watching.stop();
  informing = false;
  await informer.stop();

  const seen = streams.flat();
  // The response to a delete does not contain the resourceVersion of the deletion; the event does.
  const told = written.map((change, index) => ({
    ...change,
    version: change.version || seen[index]?.version,
  }));
  expect(seen).toEqual(told);
  const versions = seen.map(({ version }) => Number(version));
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  expect(proxy.cuts()).toBeGreaterThan(20);
  expect(streams.filter((stream) => stream.length > 0).length).toBeGreaterThan(10);
});
