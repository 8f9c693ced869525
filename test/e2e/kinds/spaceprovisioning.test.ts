/** Spaces get their namespaces in a connected cluster; a second server of this project acts as the cluster. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, type Actor } from '../../fixtures/clients/impersonation.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const NAMESPACES = '/api/v1/namespaces';

interface Space {
  spec: { clusterRef?: { namespace: string } };
  status?: { phase?: string; reason?: string; conditions?: { type: string; status: string }[] };
}
interface Namespace {
  metadata: { labels: Record<string, string> };
}

let server: ServerFixture;
let connected: ServerFixture;
let admin: Actor;
let host: Actor;

beforeAll(async () => {
  [server, connected] = await Promise.all([
    startServer({ controllers: 'space-provisioner-controller' }),
    startServer({ controllers: 'namespace-controller' }),
  ]);
  [admin, host] = [impersonating(server), impersonating(connected)];
  const data = { config: readFileSync(connected.kubeconfig).toString('base64') };
  await admin.send('POST', `${NAMESPACES}/management-system/secrets`, { metadata: { name: 'east' }, data });
  for (const [name, config] of [
    ['east', { secretName: 'east' }],
    ['lost', { secretName: 'none' }],
  ] as const)
    await admin.send('POST', `${API}/clusters`, { metadata: { name }, spec: { config } });
  await admin.send('POST', `${API}/projects`, {
    metadata: { name: 'web' },
    spec: { allowedClusters: [{ name: '*' }] },
  });
});
afterAll(() => Promise.all([server.remove(), connected.remove()]));

const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;

async function make(name: string, clusterRef: object, annotations: object = {}): Promise<string> {
  const body = { metadata: { name, annotations }, spec: { clusterRef } };
  const answer = await admin.send<Space>('POST', SPACES, body);
  expect(answer.status).toBe(201);
  return answer.body.spec.clusterRef?.namespace ?? '';
}

const becomes = (name: string, phase: string, reason = ''): Promise<Space> =>
  eventually(`${name} is ${phase} ${reason}`, async () => {
    const { body } = await admin.send<Space>('GET', `${SPACES}/${name}`);
    return body.status?.phase === phase && (body.status.reason ?? '') === reason && body;
  });
const isGone = (name: string): Promise<unknown> =>
  eventually(`${name} is gone`, async () => (await admin.send('GET', `${SPACES}/${name}`)).status === 404);

test('a space on a cluster that never had a kubeconfig is deleted at once', async () => {
  await make('never', { cluster: 'lost' });
  await becomes('never', 'Pending', 'ClusterUnreachable');
  expect((await admin.send('DELETE', `${SPACES}/never`)).status).toBe(200);
  expect((await admin.send('GET', `${SPACES}/never`)).status).toBe(404);
});

test('a space is ready when its namespace is there, and takes it along', async () => {
  const namespace = await make('a', { cluster: 'east' });
  const { status } = await becomes('a', 'Ready');
  expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  const { body } = await host.send<Namespace>('GET', `${NAMESPACES}/${namespace}`);
  expect(body.metadata.labels).toMatchObject({
    'management.svc.example/space-instance-name': 'a',
    'management.svc.example/space-instance-namespace': 'loft-p-web',
    'management.svc.example/space-instance-project': 'web',
    'pod-security.kubernetes.io/enforce': 'baseline',
  });
  await admin.send('DELETE', `${SPACES}/a`);
  await isGone('a');
  expect((await host.send('GET', `${NAMESPACES}/${namespace}`)).status).toBe(404);
});

test('a namespace that existed before, or was imported, stays', async () => {
  await host.send('POST', NAMESPACES, { metadata: { name: 'theirs' } });
  await make('b', { cluster: 'east', namespace: 'theirs' });
  const imported = await make('c', { cluster: 'east' }, { 'management.svc.example/is-imported': 'true' });
  for (const name of ['b', 'c']) {
    await becomes(name, 'Ready');
    await admin.send('DELETE', `${SPACES}/${name}`);
    await isGone(name);
  }
  for (const name of ['theirs', imported])
    expect((await host.send('GET', `${NAMESPACES}/${name}`)).status).toBe(200);
});

test('without a cluster that answers a space is pending, until there is one', async () => {
  await make('nowhere', {});
  await becomes('nowhere', 'Pending', 'NoProvisioner');
  await make('none', { cluster: 'none' });
  await becomes('none', 'Pending', 'NoProvisioner');
  await make('lost', { cluster: 'lost' });
  await becomes('lost', 'Pending', 'ClusterUnreachable');
  await admin.send('PATCH', `${API}/clusters/lost`, { spec: { config: { secretName: 'east' } } });
  await becomes('lost', 'Ready');
  await admin.send('DELETE', `${SPACES}/none`);
  await isGone('none');
});

test('an unusable cluster gets no new spaces', async () => {
  const spec = { config: { secretName: 'east' }, unusable: true };
  await admin.send('POST', `${API}/clusters`, { metadata: { name: 'full' }, spec });
  await make('waits', { cluster: 'full' });
  await becomes('waits', 'Pending', 'NoProvisioner');
  await admin.send('PATCH', `${API}/clusters/full`, { spec: { unusable: false } });
  await becomes('waits', 'Ready');
});

test('the end of a space waits for a cluster that does not answer', async () => {
  const namespace = await make('waiting', { cluster: 'east' });
  await becomes('waiting', 'Ready');
  await connected.stop();
  await admin.send('DELETE', `${SPACES}/waiting`);
  await becomes('waiting', 'Terminating', 'ClusterUnreachable');
  await connected.restart();
  await isGone('waiting');
  expect((await host.send('GET', `${NAMESPACES}/${namespace}`)).status).toBe(404);
});
