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

interface Binding {
  metadata: { name: string };
  roleRef: { name: string };
  subjects: { kind: string; name: string }[];
}

/** Who has which ClusterRole in a namespace of the cluster. */
async function bound(namespace: string): Promise<Record<string, string[]>> {
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
  const { body } = await host.send<{ items: Binding[] }>('GET', path);
  return Object.fromEntries(
    body.items.map(({ roleRef, subjects }) => [roleRef.name, subjects.map(({ name }) => name)]),
  );
}
const areBound = (namespace: string, wanted: Record<string, string[]>): Promise<unknown> =>
  eventually(`${JSON.stringify(wanted)} are bound`, async () => {
    const found = await bound(namespace);
    return JSON.stringify(found) === JSON.stringify(wanted);
  });

test('members of the project work in its spaces, as long as they are members', async () => {
  const member = (kind: string, name: string, role: string): object => ({
    kind,
    name,
    clusterRole: `management-project-${role}`,
  });
  const members = [
    member('User', 'lea', 'user'),
    member('Team', 'ops', 'user'),
    member('User', 'max', 'viewer'),
  ];
  const spec = { owner: { user: 'kim' }, members, allowedClusters: [{ name: 'east' }] };
  await admin.send('POST', `${API}/projects`, { metadata: { name: 'staffed' }, spec });
  const spaces = `${API}/namespaces/loft-p-staffed/spaceinstances`;
  const made = await admin.send<Space>('POST', spaces, {
    metadata: { name: 's' },
    spec: { clusterRef: { cluster: 'east' } },
  });
  const namespace = made.body.spec.clusterRef?.namespace ?? '';
  await areBound(namespace, {
    admin: ['management:kim'],
    edit: ['management:lea', 'management:management:team:ops'],
  });
  const rule = {
    claim: 'groups',
    values: ['devs'],
    project: 'staffed',
    clusterRole: 'management-project-user',
  };
  const { body } = await admin.send<{ metadata: { uid: string } }>('POST', `${API}/grouprules`, {
    metadata: { name: 'devs' },
    spec: rule,
  });
  const group = `management:management:grouprule:devs:${body.metadata.uid.slice(0, 8)}`;
  await admin.send('PATCH', `${API}/projects/staffed`, { spec: { members: [members[1]] } });
  await areBound(namespace, { admin: ['management:kim'], edit: ['management:management:team:ops', group] });
  await admin.send('DELETE', `${API}/grouprules/devs`);
  await admin.send('PATCH', `${API}/projects/staffed`, { spec: { members: [] } });
  await areBound(namespace, { admin: ['management:kim'] });
  const { body: space } = await admin.send<Space>('GET', `${spaces}/s`);
  expect(space.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'MembersBound', status: 'True' }),
  );
});

test('what a member changes in a binding is put right', async () => {
  const { body } = await admin.send<Space>('GET', `${API}/namespaces/loft-p-staffed/spaceinstances/s`);
  const namespace = body.spec.clusterRef?.namespace ?? '';
  const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/management-members-admin`;
  await host.send('PATCH', path, {
    subjects: [{ kind: 'User', name: 'eve', apiGroup: 'rbac.authorization.k8s.io' }],
  });
  await admin.send('PATCH', `${API}/projects/staffed`, { spec: { members: [], description: 'again' } });
  await areBound(namespace, { admin: ['management:kim'] });
});

test('nobody gets rights in a namespace of others', async () => {
  const labels = { 'app.kubernetes.io/managed-by': 'management-apiserver' };
  await host.send('POST', NAMESPACES, { metadata: { name: 'projects-of-others', labels } });
  const annotations = { 'management.svc.example/space-instance-uid': 'another' };
  await host.send('POST', NAMESPACES, { metadata: { name: 'space-of-others', labels, annotations } });
  for (const namespace of ['projects-of-others', 'space-of-others']) {
    await make(namespace, { cluster: 'east', namespace });
    const { status } = await becomes(namespace, 'Ready');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'MembersBound', status: 'False', reason: 'NamespaceOfOthers' }),
    );
    expect(await bound(namespace)).toEqual({});
    await admin.send('DELETE', `${SPACES}/${namespace}`);
    await isGone(namespace);
    expect((await host.send('GET', `${NAMESPACES}/${namespace}`)).status).toBe(200);
  }
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
