/** A project with its namespace and its members, and the rights of the members. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const PROJECTS = `/apis/${GROUP}/v1/projects`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const NAMESPACES = '/api/v1/namespaces';

let server: ServerFixture;
let admin: Actor;

beforeAll(async () => {
  server = await startServer({ controllers: 'namespace-controller,project-controller' });
  admin = impersonating(server);
  for (const [name, rights] of [
    ['creator', ['create', 'get']],
    ['editor', ['create', 'get', 'update', 'patch']],
  ] as const)
    await allow(server, name, '', { apiGroups: [GROUP], resources: ['projects'], verbs: rights });
});
afterAll(() => server.remove());

const make = (name: string, spec: object = {}, by: Actor = admin): Promise<Reply> =>
  by.send('POST', PROJECTS, { metadata: { name }, spec });
const member = (name: string, clusterRole: string, kind = 'User') => ({ kind, name, clusterRole });
const spaces = (project: string) => `/apis/${GROUP}/v1/namespaces/loft-p-${project}/spaceinstances`;

interface Binding {
  metadata: { name: string };
  subjects?: { kind: string; name: string }[];
}

/** `role: subjects` of the bindings in a project's namespace. */
async function bindings(project: string): Promise<Record<string, string[]>> {
  const { body } = await admin.send<{ items: Binding[] }>(
    'GET',
    `${RBAC}/namespaces/loft-p-${project}/rolebindings`,
  );
  const listed = body.items.map(({ metadata, subjects = [] }) => [
    metadata.name.replace('management:project-member:', ''),
    subjects.map(({ kind, name }) => `${kind} ${name}`),
  ]);
  return Object.fromEntries(listed) as Record<string, string[]>;
}

describe('the namespace', () => {
  test('is there with the project, and carries its name', async () => {
    expect((await make('first')).status).toBe(201);
    const { status, body } = await admin.send<{ metadata: { labels: object } }>(
      'GET',
      `${NAMESPACES}/loft-p-first`,
    );
    expect([status, body.metadata.labels]).toMatchObject([200, { [`${GROUP}/project`]: 'first' }]);
    expect((await admin.send('POST', spaces('first'), { metadata: { name: 's' } })).status).toBe(201);
  });

  test.each([
    ['a dry run', '?dryRun=All'],
    ['a create', ''],
  ])('%s is refused where it is there without the project', async (_what, query) => {
    await admin.send('POST', NAMESPACES, {
      metadata: { name: 'loft-p-taken', labels: { [`${GROUP}/project`]: 'taken' } },
    });
    const answer = await admin.send('POST', PROJECTS + query, { metadata: { name: 'taken' } });
    expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
    expect((await admin.send('GET', `${PROJECTS}/taken`)).status).toBe(404);
  });

  test('of a dry run is not made', async () => {
    const dry = await admin.send('POST', `${PROJECTS}?dryRun=All`, { metadata: { name: 'dry' } });
    const found = await admin.send('GET', `${NAMESPACES}/loft-p-dry`);
    expect([dry.status, found.status]).toEqual([201, 404]);
  });

  test.each([['x'.repeat(57)], ['a.b'], ['A']])('cannot be called after %s', async (name) => {
    expect((await make(name)).status).toBe(422);
  });

  test('is created again when somebody deletes it', async () => {
    await make('again', { members: [member('anna', 'view')] });
    const before = await admin.send<{ metadata: { uid: string } }>('GET', `${NAMESPACES}/loft-p-again`);
    await admin.send('DELETE', `${NAMESPACES}/loft-p-again`);
    await eventually('a new namespace', async () => {
      const { status, body } = await admin.send<{ metadata: { uid: string } }>(
        'GET',
        `${NAMESPACES}/loft-p-again`,
      );
      return status === 200 && body.metadata.uid !== before.body.metadata.uid;
    });
    await eventually('its bindings', async () => (await bindings('again')).view?.[0] === 'User anna');
  });

  test('goes with the project, which waits for it', async () => {
    await make('ending');
    const metadata = { name: 'holds', finalizers: ['example.com/hold'] };
    await admin.send('POST', spaces('ending'), { metadata });
    await admin.send('DELETE', `${PROJECTS}/ending`);
    type Ending = { status: { conditions: { type: string; reason: string }[] } };
    await eventually('a condition', async () => {
      const { body } = await admin.send<Ending>('GET', `${PROJECTS}/ending`);
      return body.status.conditions.some(({ type, reason }) => type === 'Ready' && reason === 'Deleting');
    });
    expect((await make('ending')).status).toBe(409);
    await admin.send('PATCH', `${spaces('ending')}/holds`, { metadata: { finalizers: null } });
    await eventually('the end', async () => (await admin.send('GET', `${PROJECTS}/ending`)).status === 404);
    expect((await admin.send('GET', `${NAMESPACES}/loft-p-ending`)).status).toBe(404);
    expect((await make('ending')).status).toBe(201);
  });

  test('holds the project, whatever finalizers its writers send', async () => {
    await make('held');
    const { body } = await admin.send<{ metadata: { finalizers: string[] } }>('PATCH', `${PROJECTS}/held`, {
      metadata: { finalizers: null },
    });
    expect(body.metadata.finalizers).toEqual([`${GROUP}/project-namespace`]);
  });
});

describe('members', () => {
  const everyone = 'Group system:authenticated';

  test('have their rights in the next request, and lose them so', async () => {
    const anna = impersonating(server, 'anna');
    await make('team', { members: [member('anna', 'management-project-user')] });
    expect((await anna.send('POST', spaces('team'), { metadata: { name: 'mine' } })).status).toBe(201);
    expect((await anna.send('GET', `${PROJECTS}/team`)).status).toBe(200);
    await admin.send('PATCH', `${PROJECTS}/team`, { spec: { members: null } });
    expect((await anna.send('POST', spaces('team'), { metadata: { name: 'other' } })).status).toBe(403);
    expect((await anna.send('GET', `${PROJECTS}/team`)).status).toBe(403);
  });

  test('become one binding for each role; the owner is an administrator', async () => {
    const members = [
      member('anna', 'view'),
      member('ops', 'view', 'Team'),
      member('*', 'management-project-viewer'),
      member('ben', 'management-project-admin'),
    ];
    await make('bound', { owner: { team: 'leads' }, members });
    expect(await bindings('bound')).toEqual({
      view: ['User anna', 'Group management:team:ops'],
      'management-project-viewer': [everyone],
      'management-project-admin': ['Group management:team:leads', 'User ben'],
    });
    await admin.send('PATCH', `${PROJECTS}/bound`, { spec: { members: [member('ben', 'view')] } });
    expect(await bindings('bound')).toEqual({
      view: ['User ben'],
      'management-project-admin': ['Group management:team:leads'],
    });
  });

  test('get their bindings back when others change these', async () => {
    await make('repaired', { members: [member('anna', 'view')] });
    const before = await bindings('repaired');
    const path = `${RBAC}/namespaces/loft-p-repaired/rolebindings`;
    const same = async (): Promise<boolean> =>
      JSON.stringify(await bindings('repaired')) === JSON.stringify(before);
    await admin.send('DELETE', `${path}/management:project-member:view`);
    await eventually('what was deleted', same);
    const changed = await admin.send('PATCH', `${path}/management:project-member:view`, { subjects: [] });
    const stray = 'management:project-member:admin';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' };
    const added = await admin.send('POST', path, { metadata: { name: stray }, roleRef });
    expect([changed.status, added.status, await same()]).toEqual([403, 403, true]);
  });

  /** [requester, members, expected result] */
  const grants: [string, object[], number][] = [
    ['creator', [], 201],
    ['creator', [member('anna', 'management-project-admin')], 201],
    ['creator', [member('*', 'management-project-viewer')], 201],
    ['creator', [member('anna', 'view')], 403],
    ['creator', [member('anna', 'cluster-admin')], 403],
    ['creator', [member('anna', 'no-such-role')], 403],
  ];
  test.each(grants)('%s makes %j: %d', async (by, members, status) => {
    const name = `grant-${Math.random().toString(36).slice(2)}`;
    expect((await make(name, { members }, impersonating(server, by))).status).toBe(status);
  });

  test('with roles that their writer may not bind are refused, by every verb, and others are not', async () => {
    const editor = impersonating(server, 'editor');
    const kept = member('anna', 'cluster-admin');
    await make('edited', { owner: { user: 'boss' }, members: [kept] });
    const path = `${PROJECTS}/edited`;
    const both = [kept, member('eve', 'management-project-viewer')];
    const { body } = await editor.send<{ spec: object }>('GET', path);
    const put = await editor.send('PUT', path, { ...body, spec: { ...body.spec, members: both } });
    const merge = await editor.send('PATCH', path, { spec: { members: both } });
    const json = await editor.send(
      'PATCH',
      path,
      [{ op: 'add', path: '/spec/members/-', value: both[1] }],
      'application/json-patch+json',
    );
    const applied = {
      apiVersion: `${GROUP}/v1`,
      kind: 'Project',
      metadata: { name: 'edited' },
      spec: { members: both },
    };
    const apply = await editor.send(
      'PATCH',
      `${path}?fieldManager=m&force=true`,
      applied,
      'application/apply-patch+yaml',
    );
    expect([put, merge, json, apply].map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const other = await editor.send('PATCH', path, { spec: { displayName: 'x', members: [kept] } });
    const fewer = await editor.send('PATCH', path, { spec: { members: [] } });
    expect([other.status, fewer.status]).toEqual([200, 200]);
    const boss = impersonating(server, 'boss');
    await allow(server, 'boss', '', { apiGroups: [GROUP], resources: ['projects'], verbs: ['patch'] });
    const byOwner = await boss.send('PATCH', path, { spec: { members: [both[1]] } });
    const beyond = await boss.send('PATCH', path, { spec: { members: [both[1], member('eve', 'admin')] } });
    expect([byOwner.status, beyond.status]).toEqual([200, 403]);
  });
});

describe('instances', () => {
  beforeAll(async () => {
    await make('here', {
      allowedClusters: [{ name: 'c1' }],
      members: [member('anna', 'management-project-user')],
    });
    await make('anywhere', {
      allowedClusters: [{ name: '*' }],
      members: [member('anna', 'management-project-user')],
    });
    await allow(server, 'anna', '', {
      apiGroups: [GROUP],
      resources: ['clusters'],
      verbs: ['import'],
      resourceNames: ['c2'],
    });
  });

  test.each([
    ['here', { cluster: 'c1' }, 201],
    ['here', { cluster: 'c2' }, 403],
    ['anywhere', { cluster: 'c2' }, 201],
    ['anywhere', { cluster: 'c1', namespace: 'theirs' }, 403],
    ['anywhere', { cluster: 'c1', virtualCluster: 'theirs' }, 403],
    ['anywhere', { cluster: 'c2', namespace: 'theirs' }, 201],
    ['anywhere', { cluster: 'c2', namespace: 'theirs', virtualCluster: 'theirs' }, 201],
  ])('in %s at %j: %d', async (project, clusterRef, status) => {
    const anna = impersonating(server, 'anna');
    const path = spaces(project).replace('spaceinstances', 'virtualclusterinstances');
    const body = { metadata: { generateName: 'v-' }, spec: { clusterRef } };
    expect((await anna.send('POST', path, body)).status).toBe(status);
  });

  test('cannot grant a ClusterRole that the writer may not bind', async () => {
    const anna = impersonating(server, 'anna');
    const body = (clusterRole: string) => ({
      metadata: { generateName: 's-' },
      spec: { extraAccessRules: [{ clusterRole, users: ['eve'] }] },
    });
    expect((await anna.send('POST', spaces('here'), body('admin'))).status).toBe(403);
    expect((await admin.send('POST', spaces('here'), body('admin'))).status).toBe(201);
  });
});

describe('subresources of a project', () => {
  beforeAll(async () => {
    for (const name of ['east', 'west'])
      await admin.send('POST', `/apis/${GROUP}/v1/clusters`, {
        metadata: { name },
        spec: { displayName: name.toUpperCase() },
      });
    await admin.send('POST', `/apis/${GROUP}/v1/users`, {
      metadata: { name: 'carl' },
      spec: { displayName: 'Carl' },
    });
    await make('read', {
      owner: { user: 'carl' },
      allowedClusters: [{ name: 'west' }, { name: 'gone' }],
      members: [member('dora', 'view'), member('carl', 'view'), member('dora', 'edit')],
    });
  });

  test('its clusters', async () => {
    const { status, body } = await admin.send('GET', `${PROJECTS}/read/clusters`);
    const clusters = [{ name: 'west', displayName: 'WEST', phase: 'Pending', online: false }];
    expect([status, body]).toMatchObject([
      200,
      { kind: 'ProjectClusters', metadata: { name: 'read' }, clusters },
    ]);
  });

  test('its members', async () => {
    const { status, body } = await impersonating(server, 'dora').send('GET', `${PROJECTS}/read/members`);
    const carl = { kind: 'User', name: 'carl', displayName: 'Carl', owner: true };
    const members = [
      { ...carl, clusterRoles: ['management-project-admin', 'view'] },
      { kind: 'User', name: 'dora', clusterRoles: ['view', 'edit'] },
    ];
    expect([status, body]).toMatchObject([200, { kind: 'ProjectMembers', members }]);
  });

  test.each([
    ['GET', 'none/members', 'admin', 404],
    ['GET', 'read/members', 'eve', 403],
    ['GET', 'read/clusters', 'eve', 403],
    ['GET', 'read/usage', 'eve', 403],
    ['GET', 'none/usage', 'admin', 404],
    ['POST', 'read/clusters', 'admin', 405],
    ['PUT', 'read/usage', 'admin', 405],
    ['PUT', 'read/members', 'admin', 405],
    ['DELETE', 'read/members', 'admin', 405],
  ])('%s %s by %s: %d', async (method, path, by, status) => {
    const actor = by === 'admin' ? admin : impersonating(server, by);
    expect((await actor.send(method, `${PROJECTS}/${path}`, method === 'GET' ? undefined : {})).status).toBe(
      status,
    );
  });
});
