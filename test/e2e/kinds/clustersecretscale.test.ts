/**
 * Many Secrets in many clusters, one of which never responds. The environment variables `CLUSTERS` and `SECRETS` (in
 * each cluster) change the size. The test prints times and the CPU time of the server.
 */
import { afterAll, beforeAll, test } from '@jest/globals';
import { cpuSeconds } from '../../../hack/bench/cpu.js';
import { inParallel } from '../../../pkg/controllers/inparallel.js';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { base64, fromShared } from '../../fixtures/agents/secretsteps.js';
import { startManyClusters, type ManyClusters } from '../../fixtures/agents/manyclusters.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const CLUSTERS = Number(process.env.CLUSTERS ?? 10);
const SECRETS = Number(process.env.SECRETS ?? 20);
const SHARED = `${API}/namespaces/default/sharedsecrets`;
const names = Array.from({ length: CLUSTERS }, (_, at) => `c${at}`);

let clusters: ManyClusters;
let server: ServerFixture;
let admin: Actor;

beforeAll(async () => {
  clusters = await startManyClusters();
  clusters.silent.add('silent');
  const controllers = 'space-provisioner-controller,cluster-secret-sync-controller';
  server = await startServer({ controllers });
  admin = impersonating(server);
  const allowedClusters = [{ name: '*' }];
  await made(`${API}/projects`, { metadata: { name: 'web' }, spec: { allowedClusters } });
});
afterAll(async () => {
  await server?.remove();
  await clusters?.stub.stop();
});

async function made<T>(path: string, body: object): Promise<T> {
  const { status, body: answer } = await admin.send<T>('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}\n${server.log().slice(-3000)}`);
  return answer;
}

/** Creates a cluster with a space, and Secrets in it. */
async function connect(name: string): Promise<void> {
  const data = { config: base64(clusters.kubeconfig(name)) };
  await made('/api/v1/namespaces/management-system/secrets', { metadata: { name }, data });
  await made(`${API}/clusters`, { metadata: { name }, spec: { config: { secretName: name } } });
  const spec = { clusterRef: { cluster: name }, owner: { user: 'anna' } };
  const space = await made<{ spec: { clusterRef: { namespace: string } } }>(
    `${API}/namespaces/loft-p-web/spaceinstances`,
    { metadata: { name }, spec },
  );
  for (let at = 0; at < SECRETS; at += 1)
    clusters.put(name, space.spec.clusterRef.namespace, `s${at}`, fromShared('all'));
}

const cpuOf = (): number => cpuSeconds(server.pid() ?? 0);

async function all(what: string, value: string | undefined, change: Promise<unknown>): Promise<number> {
  const [began, cpu] = [performance.now(), cpuOf()];
  await change;
  await eventually(what, () => {
    for (const name of names)
      for (const { a } of clusters.secrets(name)) if (a !== value) return Promise.resolve(false as const);
    return Promise.resolve(true as const);
  });
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${CLUSTERS} clusters, ${SECRETS} Secrets each: ${what} in ${seconds.toFixed(1)} s, ${(cpuOf() - cpu).toFixed(1)} s of CPU\n`,
  );
  return seconds;
}

test('one cluster that never answers delays no other', async () => {
  const access = [{ verbs: ['sync'], users: ['anna'] }];
  await made(SHARED, { metadata: { name: 'all' }, spec: { data: { a: base64('one') }, access } });
  await connect('silent');
  const connecting = inParallel(names, 4, connect);
  await all('filled', base64('one'), connecting);
  const next = { spec: { data: { a: base64('two') } } };
  await all('changed', base64('two'), admin.send('PATCH', `${SHARED}/all`, next));
  await all('emptied', undefined, admin.send('PATCH', `${SHARED}/all`, { spec: { access: [] } }));
  await eventually('an Event for each', () => Promise.resolve(clusters.events() >= CLUSTERS * SECRETS));
});
