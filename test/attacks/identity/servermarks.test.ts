/** Metadata and status that the server relies on cannot be written by everyone who may write the object. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  impersonating,
  allow,
  type Actor,
  type Reply,
  type Rule,
} from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const IMPORTED = `${GROUP}/is-imported`;
const MOVED_FROM = `${GROUP}/moved-from`;
const SPACES = `${API}/namespaces/loft-p-web/spaceinstances`;
const VIRTUAL = `${API}/namespaces/loft-p-web/virtualclusterinstances`;
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

interface Instance {
  metadata: { annotations?: Record<string, string>; finalizers?: string[]; labels?: Record<string, string> };
  status: { phase?: string; reason?: string; virtualCluster?: unknown };
}

const rule = (resource: string, ...verbs: string[]): Rule => ({
  apiGroups: [GROUP],
  resources: [resource],
  verbs,
});
const key = (annotation: string): string => annotation.replace('/', '~1');

/** Requests that set annotations of an existing object, or remove them (null). */
const WAYS: Readonly<
  Record<string, (by: Actor, path: string, kind: string, annotation: string, value: string) => Promise<Reply>>
> = {
  merge: (by, path, _kind, annotation, value) =>
    by.send('PATCH', path, { metadata: { annotations: { [annotation]: value } } }),
  json: (by, path, _kind, annotation, value) =>
    by.send(
      'PATCH',
      path,
      [{ op: 'add', path: `/metadata/annotations/${key(annotation)}`, value }],
      JSON_PATCH,
    ),
  apply: (by, path, kind, annotation, value) =>
    by.send(
      'PATCH',
      `${path}?fieldManager=x&force=true`,
      { kind, apiVersion: `${GROUP}/v1`, metadata: { annotations: { [annotation]: value } } },
      APPLY,
    ),
  async PUT(by, path, _kind, annotation, value) {
    const { body } = await by.send<Instance>('GET', path);
    const annotations = { ...body.metadata.annotations, [annotation]: value };
    return by.send('PUT', path, { ...body, metadata: { ...body.metadata, annotations } });
  },
};

let on: EngineServer;
let admin: Actor;
let anna: Actor;
let importer: Actor;
/** May import from a cluster of her own, which is empty. */
let owner: Actor;
const made = async (path: string, body: object, by = admin): Promise<void> => {
  const answer = await by.send('POST', path, body);
  expect([path, answer.status, answer.status === 201 ? '' : answer.body]).toEqual([path, 201, '']);
};
const read = async (path: string): Promise<Instance> => (await admin.send<Instance>('GET', path)).body;
const spec = { clusterRef: { cluster: 'east' } };

beforeAll(async () => {
  on = await startEmbedded({ controllers: 'space-provisioner-controller' });
  admin = impersonating(on.server);
  anna = impersonating(on.server, 'anna');
  importer = impersonating(on.server, 'importer');
  owner = impersonating(on.server, 'owner');
  await made(`${API}/clusters`, { metadata: { name: 'east' }, spec: {} });
  await made(`${API}/clusters`, { metadata: { name: 'full' }, spec: { unusable: true } });
  const allowedClusters = [{ name: '*' }];
  await made(`${API}/projects`, {
    metadata: { name: 'web' },
    spec: { owner: { user: 'anna' }, allowedClusters },
  });
  await allow(on.server, 'importer', '', rule('clusters', 'import'));
  await allow(on.server, 'owner', '', { ...rule('clusters', 'import'), resourceNames: ['hers'] });
  await allow(on.server, 'owner', '', rule('virtualclusterinstances/status', '*'));
  for (const kind of ['spaceinstances', 'virtualclusterinstances'])
    await allow(on.server, 'importer', '', rule(kind, '*'), rule(`${kind}/status`, '*'));
});
afterAll(() => on.remove());

describe.each([
  ['SpaceInstance', SPACES],
  ['VirtualClusterInstance', VIRTUAL],
])('the mark that a %s was imported', (kind, where) => {
  test('is not set by users without the right to import', async () => {
    const metadata = { name: 'a', annotations: { note: 'x' } };
    await made(where, { metadata, spec }, anna);
    const annotations = { [IMPORTED]: 'true' };
    const created = await anna.send('POST', where, { metadata: { name: 'b', annotations }, spec });
    const nowhere = await anna.send('POST', where, { metadata: { name: 'c', annotations }, spec: {} });
    expect([created.status, nowhere.status]).toEqual([403, 403]);
    for (const [way, write] of Object.entries(WAYS)) {
      const { status } = await eventually(way, async () => {
        const answer = await write(anna, `${where}/a`, kind, IMPORTED, 'true');
        return answer.status === 409 ? undefined : answer;
      });
      expect([way, status]).toEqual([way, 403]);
      const moved = await eventually(way, async () => {
        const answer = await write(anna, `${where}/a`, kind, MOVED_FROM, 'elsewhere/a');
        return answer.status === 409 ? undefined : answer;
      });
      expect([way, moved.status]).toEqual([way, 200]);
    }
    await anna.send('PATCH', `${where}/a/status`, { metadata: { annotations }, status: {} });
    expect((await read(`${where}/a`)).metadata.annotations).toEqual({ note: 'x' });
  });

  test('is set by users with that right, and stays', async () => {
    const annotations = { [IMPORTED]: 'true' };
    await made(where, { metadata: { name: 'd', annotations }, spec }, importer);
    for (const value of [null, { [IMPORTED]: 'false' }])
      await anna.send('PATCH', `${where}/d`, { metadata: { annotations: value } });
    const { body } = await admin.send<Instance>('GET', `${where}/d`);
    const bare = { ...body, metadata: { ...body.metadata, annotations: {} }, spec: {} };
    expect((await anna.send('PUT', `${where}/d`, bare)).status).toBe(200);
    const put = await anna.send('PATCH', `${where}/d`, { spec: { displayName: 'mine' } });
    expect([put.status, (await read(`${where}/d`)).metadata.annotations]).toEqual([200, annotations]);
  });
});

test('finalizers of the server are not taken off by owners', async () => {
  await made(`${API}/projects`, { metadata: { name: 'ends' }, spec: { owner: { user: 'anna' } } });
  await anna.send('DELETE', `${API}/projects/ends`);
  const path = `${API}/projects/ends`;
  const { body } = await anna.send<Instance>('GET', path);
  const attempts = [
    await anna.send('PATCH', path, { metadata: { finalizers: null } }),
    await anna.send('PATCH', path, { metadata: { finalizers: [] } }),
    await anna.send('PATCH', path, [{ op: 'remove', path: '/metadata/finalizers' }], JSON_PATCH),
    await anna.send('PUT', path, { ...body, metadata: { ...body.metadata, finalizers: [] } }),
    await anna.send('PUT', `${path}/status`, { ...body, metadata: { ...body.metadata, finalizers: [] } }),
  ];
  expect(attempts.every(({ status }) => [200, 403, 409].includes(status))).toBe(true);
  expect((await read(path)).metadata.finalizers).toEqual([`${GROUP}/project-namespace`]);
  expect((await admin.send('PATCH', path, { metadata: { finalizers: null } })).status).toBe(200);
  expect((await admin.send('GET', path)).status).toBe(404);
  const finalizers = [`${GROUP}/space`, 'example.com/mine'];
  await made(SPACES, { metadata: { name: 'held', finalizers }, spec: {} }, anna);
  expect((await read(`${SPACES}/held`)).metadata.finalizers).toEqual(['example.com/mine']);
});

test('setting the access point of a virtual cluster takes the right to import', async () => {
  await made(VIRTUAL, { metadata: { name: 'reached' }, spec }, anna);
  const path = `${VIRTUAL}/reached/status`;
  const virtualCluster = { accessPoint: { ingress: { enabled: true, host: 'evil.example' } } };
  const labelled = {
    type: 'HostLabelled',
    status: 'True',
    reason: 'Labelled',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  for (const status of [{ virtualCluster }, { conditions: [labelled] }]) {
    const { body } = await admin.send<Instance>('GET', `${VIRTUAL}/reached`);
    const answers = [
      await anna.send('PATCH', path, { status }),
      await anna.send('PUT', path, { ...body, status: { ...body.status, ...status } }),
      await anna.send('PATCH', path, [{ op: 'replace', path: '/status', value: status }], JSON_PATCH),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403]);
    // The cluster in a written status is dropped, so it gives no rights.
    const elsewhere = { spec: { clusterRef: { cluster: 'hers' } } };
    const hers = [
      await owner.send('PATCH', path, { ...elsewhere, status }),
      await owner.send('PUT', path, { ...body, ...elsewhere, status: { ...body.status, ...status } }),
    ];
    expect(hers.map((answer) => answer.status)).toEqual([403, 403]);
    expect((await importer.send('PATCH', path, { status })).status).toBe(200);
  }
  expect((await anna.send('PATCH', path, { status: { message: 'x' } })).status).toBe(200);
});

test('a forged status does not put a space on an unusable cluster', async () => {
  await made(SPACES, { metadata: { name: 'first' }, spec: { clusterRef: { cluster: 'full' } } }, anna);
  const waits = (): Promise<unknown> =>
    eventually('is pending', async () => {
      const { phase, reason } = (await read(`${SPACES}/first`)).status;
      return phase === 'Pending' && reason === 'NoProvisioner';
    });
  await waits();
  const ready = await anna.send('PATCH', `${SPACES}/first/status`, {
    status: { phase: 'Ready', reason: '' },
  });
  expect(ready.status).toBe(200);
  await waits();
});

test('a key was not used in the future', async () => {
  await allow(on.server, 'clerk', '', rule('ownedaccesskeys/status', '*'));
  const metadata = { name: 'idle' };
  await made(`${API}/ownedaccesskeys`, {
    metadata,
    spec: { user: 'admin', ttl: 60, ttlAfterLastActivity: true },
  });
  const path = `${API}/ownedaccesskeys/idle/status`;
  const status = { lastActivity: new Date(Date.now() + 3_600_000).toISOString() };
  const clerk = impersonating(on.server, 'clerk');
  await clerk.send('PATCH', path, { status });
  await clerk.send('PATCH', path, { status: { lastActivity: '2999-01-01T00:00:00,5Z' } });
  const wrong = await clerk.send('PATCH', path, { status: { lastActivity: 'yesterday' } });
  expect([wrong.status, JSON.stringify(wrong)]).toEqual([
    422,
    expect.stringContaining('status.lastActivity'),
  ]);
  expect((await read(`${API}/ownedaccesskeys/idle`)).status).toEqual({});
});

test("a project's namespace stays the project's", async () => {
  await allow(on.server, 'namespacer', '', { apiGroups: [''], resources: ['namespaces'], verbs: ['*'] });
  const path = '/api/v1/namespaces/loft-p-web';
  const labels = { [`${GROUP}/project`]: null, mine: 'x' };
  const { status } = await impersonating(on.server, 'namespacer').send('PATCH', path, {
    metadata: { labels },
  });
  expect(status).toBe(200);
  expect((await read(path)).metadata.labels).toMatchObject({ [`${GROUP}/project`]: 'web', mine: 'x' });
});

test('members are shown with the names that the owner, or the caller, may get', async () => {
  for (const name of ['victim', 'mallory'])
    await made(`${API}/users`, { metadata: { name }, spec: { displayName: `Name of ${name}` } });
  await made(`${API}/teams`, { metadata: { name: 'hidden' }, spec: { displayName: 'Name of hidden' } });
  const mallory = impersonating(on.server, 'mallory', ['management:authenticated']);
  await made(`${API}/projects`, { metadata: { name: 'spies' }, spec: { owner: { user: 'mallory' } } });
  const clusterRole = 'management-project-viewer';
  const members = [
    { kind: 'User', name: 'victim', clusterRole },
    { kind: 'Team', name: 'hidden', clusterRole },
  ];
  const path = `${API}/projects/spies`;
  expect((await mallory.send('PATCH', path, { spec: { members } })).status).toBe(200);
  const names = async (by: Actor): Promise<unknown[]> => {
    const { body } = await by.send<{ members: { displayName?: string }[] }>('GET', `${path}/members`);
    return body.members.map(({ displayName }) => displayName);
  };
  const victim = impersonating(on.server, 'victim', ['management:authenticated']);
  expect(await names(mallory)).toEqual(['Name of mallory', undefined, undefined]);
  expect(await names(victim)).toEqual(['Name of mallory', 'Name of victim', undefined]);
  expect(await names(admin)).toEqual(['Name of mallory', 'Name of victim', 'Name of hidden']);
  await allow(on.server, 'mallory', '', { ...rule('teams', 'get'), resourceNames: ['hidden'] });
  expect(await names(mallory)).toEqual(['Name of mallory', undefined, 'Name of hidden']);
});
