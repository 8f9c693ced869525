/**
 * All controllers, and clusters that answer with the largest and slowest answers that are allowed, or not at all. The
 * environment variable `HOSTILE_SECONDS` sets how long. The test prints memory and times.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { startHostileCluster, type HostileCluster } from '../../fixtures/agents/hostilecluster.js';
import { startManyClusters, type ManyClusters } from '../../fixtures/agents/manyclusters.js';
import { API, base64, fromShared } from '../../fixtures/agents/secretsteps.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { residentBytesOf } from '../../../hack/bench/cpu.js';
import { eventually } from '../../fixtures/wait.js';

const SECONDS = Number(process.env.HOSTILE_SECONDS ?? 10);
const MIB = 1024 * 1024;
const MAX_GROWTH = 64 * MIB;
const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;
const INSTANCES = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
const HOSTILE = ['hostile'];
const IN_EACH = 20;
const BEFORE = 10;
/** For other work on this machine. */
const ALLOWANCE_MS = 500;

interface Space {
  readonly spec: { readonly clusterRef: { readonly cluster: string; readonly namespace: string } };
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

let honest: ManyClusters;
let hostile: HostileCluster;
let server: ServerFixture;
let admin: Actor;
const namespaces: string[] = [];

const resident = (): number => residentBytesOf(readFileSync(`/proc/${server.pid()}/status`, 'utf8'));

async function made<T>(path: string, body: object): Promise<T> {
  const { status, body: answer } = await admin.send<T>('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}\n${server.log().slice(-3000)}`);
  return answer;
}

async function connect(name: string, kubeconfig: string): Promise<void> {
  const data = { config: base64(kubeconfig) };
  await made('/api/v1/namespaces/management-system/secrets', { metadata: { name }, data });
  await made(`${API}/clusters`, { metadata: { name }, spec: { config: { secretName: name } } });
}

async function createSpace(cluster: string, name: string): Promise<string> {
  const spec = { clusterRef: { cluster }, owner: { user: 'anna' } };
  const { spec: created } = await made<Space>(SPACES, { metadata: { name }, spec });
  return created.clusterRef.namespace;
}

/** Creates a space in the honest cluster, with a Secret that is filled. Returns the milliseconds. */
async function useHonest(name: string): Promise<number> {
  const began = performance.now();
  const namespace = await createSpace('honest', name);
  await eventually(`space ${name} is ready`, async () => {
    return (await admin.send<Space>('GET', `${SPACES}/${name}`)).body.status?.phase === 'Ready';
  });
  const took = performance.now() - began;
  honest.put('honest', namespace, name, fromShared('db'));
  await eventually(`the Secret of ${name} is filled`, async () => {
    const { conditions = [] } = (await admin.send<Space>('GET', `${SPACES}/${name}`)).body.status ?? {};
    return conditions.some(({ type, status }) => type === 'SecretsSynced' && status === 'True');
  });
  return took;
}

beforeAll(async () => {
  honest = await startManyClusters();
  hostile = await startHostileCluster(() => namespaces);
  // As images start it (deploy/Containerfile): Node's own young generation grows further, whatever is done.
  server = await startServer({ controllers: '*', env: { NODE_OPTIONS: '--max-semi-space-size=16' } });
  admin = impersonating(server);
  await made(`${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters: [{ name: '*' }] } });
  const access = [{ verbs: ['sync'], users: ['anna'] }];
  const shared = { metadata: { name: 'db' }, spec: { data: { a: base64('one') }, access } };
  await made(`${API}/namespaces/default/sharedsecrets`, shared);
  await connect('honest', honest.kubeconfig('honest'));
  for (const name of [...HOSTILE, 'silent']) {
    await connect(name, hostile.kubeconfig(name));
    for (let at = 0; at < IN_EACH; at += 1) namespaces.push(await createSpace(name, `${name}-${at}`));
  }
  for (const cluster of HOSTILE) {
    const name = `vc-${cluster}`;
    await made(`${API}/projects/web/importvirtualcluster`, {
      sourceVirtualCluster: { cluster, namespace: name, name },
    });
    await admin.send('PATCH', `${INSTANCES}/${name}`, {
      spec: { accessPoint: { ingress: { enabled: true } } },
    });
    const status = { virtualCluster: { accessPoint: { ingress: { host: new URL(hostile.stub.url).host } } } };
    await admin.send('PATCH', `${INSTANCES}/${name}/status`, { status });
  }
});
afterAll(async () => {
  await server?.remove();
  await hostile?.stub.stop();
  await honest?.stub.stop();
});

test('hostile clusters cost no memory, delay no other cluster, and enter no log', async () => {
  const before: number[] = [];
  for (let at = 0; at < BEFORE; at += 1) before.push(await useHonest(`before-${at}`));
  const began = resident();
  hostile.turn();
  for (const name of HOSTILE)
    await admin.send('PATCH', `${API}/clusters/${name}`, { spec: { displayName: 'x' } });
  const during: number[] = [];
  let most = began;
  const until = Date.now() + SECONDS * 1_000;
  while (Date.now() < until || during.length < BEFORE) {
    const name = `during-${during.length}`;
    during.push(await useHonest(name));
    // Deletions go on, too.
    expect((await admin.send('DELETE', `${SPACES}/${name}`)).status).toBe(200);
    most = Math.max(most, resident());
  }
  process.stdout.write(
    `${SECONDS} s: ${(hostile.sent() / MIB).toFixed(0)} MiB sent, resident ${(began / MIB).toFixed(0)} MiB and ${((most - began) / MIB).toFixed(0)} more at most, spaces ready in ${median(before)} ms before and ${median(during)} ms meanwhile (${during.length})\n`,
  );
  expect(hostile.sent()).toBeGreaterThan(8 * MIB);
  expect(most - began).toBeLessThan(MAX_GROWTH);
  // A cluster that is waited for takes seconds.
  expect(Number(median(during))).toBeLessThan(3 * Number(median(before)) + ALLOWANCE_MS);
  await eventually('the spaces are gone', async () => {
    const { body } = await admin.send<{ items: { metadata: { name: string } }[] }>('GET', SPACES);
    return !body.items.some(({ metadata: { name } }) => name.startsWith('during-'));
  });
  expect(hostile.unanswered('silent')).toBe(1);
  expect(
    server
      .log()
      .split('\n')
      .filter((line) => line.length > 2_000 || line.includes('\u001b')),
  ).toEqual([]);
  const { body } = await admin.send<{ items: Space[] }>('GET', SPACES);
  const told = body.items.flatMap(({ status }) => status?.message ?? []);
  expect(told.filter((text) => text.length > 500 || /[^ -~]/.test(text))).toEqual([]);
});

const median = (values: readonly number[]): string =>
  ([...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0).toFixed(0);
