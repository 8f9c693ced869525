/**
 * Constrained impersonation: who acts as another user may do what both rights say, and what the user may. Each row is a
 * request that would be more; legal neighbours follow.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { allow, impersonating } from '../../fixtures/clients/impersonation.js';
import { kubectl } from '../../fixtures/clients/kubectl.js';
import { describeWith } from '../../fixtures/program.js';
import { startServer, VIEWER_TOKEN, type ServerFixture } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MAPS = '/api/v1/namespaces/team/configmaps';
const MINE = `${API}/namespaces/team/sharedsecrets/viewers`;
const SELF = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const AUTHENTICATION = ['authentication.k8s.io'];
const MERGE = { 'content-type': 'application/merge-patch+json' };

let server: ServerFixture;
let viewer: Client;

/** viewer: may list config maps of namespace team as bob, root and service account robot. bob: reads there. root: may all. */
beforeAll(async () => {
  server = await startServer();
  viewer = client(server, VIEWER_TOKEN);
  const admin = impersonating(server);
  for (const name of ['team', 'other']) {
    await admin.send('POST', '/api/v1/namespaces', { metadata: { name } });
    await admin.send('POST', `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'map' } });
  }
  const spec = { owner: { user: 'viewer' }, access: [{ verbs: EVERY_WAY, users: ['viewer'] }] };
  expect(
    (await admin.send('POST', MINE.replace(/\/viewers$/, ''), { metadata: { name: 'viewers' }, spec }))
      .status,
  ).toBe(201);
  const configMaps = { apiGroups: [''], resources: ['configmaps'] };
  const users = { apiGroups: AUTHENTICATION, resources: ['users'], verbs: ['impersonate:user-info'] };
  await allow(
    server,
    'viewer',
    '',
    { ...users, resourceNames: ['bob'] },
    { ...users, resourceNames: ['root'] },
  );
  await allow(server, 'viewer', 'team', { ...configMaps, verbs: ['impersonate-on:user-info:list'] });
  await allow(
    server,
    'viewer',
    'team',
    { ...configMaps, verbs: ['impersonate-on:serviceaccount:list'] },
    {
      apiGroups: AUTHENTICATION,
      resources: ['serviceaccounts'],
      verbs: ['impersonate:serviceaccount'],
      resourceNames: ['robot'],
    },
  );
  const reading = { ...configMaps, verbs: ['get', 'list', 'watch'] };
  for (const name of ['bob', 'carl', 'system:serviceaccount:team:robot'])
    await allow(server, name, '', reading);
  await allow(server, 'root', '', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
});
afterAll(() => server?.remove());

const EVERY_WAY = [
  'get',
  'update',
  'patch',
  'impersonate-on:user-info:patch',
  'impersonate-on:user-info:get',
  '*',
];

const as = (user: string, more: Record<string, string> = {}): Record<string, string> => ({
  'impersonate-user': user,
  ...more,
});
const ROBOT = 'system:serviceaccount:team:robot';

type Row = readonly [
  what: string,
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: object,
];

const ATTACKS: readonly Row[] = [
  ['another verb', as('bob'), 'GET', `${MAPS}/map`],
  ['a watch', as('bob'), 'GET', `${MAPS}?watch=1`],
  ['another namespace', as('bob'), 'GET', '/api/v1/namespaces/other/configmaps'],
  ['all namespaces', as('bob'), 'GET', '/api/v1/configmaps'],
  ['a path', as('bob'), 'GET', '/metrics'],
  ['reviews of itself', as('bob'), 'POST', SELF, { spec: {} }],
  ['another user', as('carl'), 'GET', MAPS],
  ['a group', as('bob', { 'impersonate-group': 'staff' }), 'GET', MAPS],
  ['administrators', as('bob', { 'impersonate-group': 'system:masters' }), 'GET', MAPS],
  ['a uid', as('bob', { 'impersonate-uid': '1' }), 'GET', MAPS],
  ['an extra value', as('bob', { 'impersonate-extra-acme.com%2fa': '1' }), 'GET', MAPS],
  ['a deletion by who may all', as('root'), 'DELETE', MAPS],
  [
    'a role by who may all',
    as('root'),
    'POST',
    `${RBAC}/clusterroles`,
    { metadata: { name: 'r' }, rules: [] },
  ],
  ['secrets by who may all', as('root'), 'GET', '/api/v1/namespaces/team/secrets'],
  ['an own object by who may all', as('root'), 'GET', MINE],
  ['a change of it', as('root'), 'PATCH', MINE, { spec: { displayName: 'x' } }],
  ['another service account', as('system:serviceaccount:team:other'), 'GET', MAPS],
  ['one of another namespace', as('system:serviceaccount:other:robot'), 'GET', MAPS],
  ['a service account in a group', as(ROBOT, { 'impersonate-group': 'system:masters' }), 'GET', MAPS],
  ['another verb of a service account', as(ROBOT), 'GET', `${MAPS}/map`],
  ['a node', as('system:node:n1'), 'GET', MAPS],
  [
    'a role with such a verb',
    {},
    'POST',
    `${RBAC}/namespaces/team/roles`,
    roleOf('impersonate-on:user-info:get'),
  ],
];

function roleOf(verb: string): object {
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: [verb] }];
  return { metadata: { name: verb.replaceAll(':', '-') }, rules };
}

test.each(ATTACKS)('refused: %s', async (...[_what, headers, method, path, body]) => {
  const type = method === 'PATCH' ? MERGE : {};
  const { status, text } = await viewer.send(method, path, body, { ...headers, ...type });
  expect([status, text]).toEqual([403, expect.stringMatching(/User \\"viewer\\" cannot /)]);
});

test.each(['bob', 'root', ROBOT])('allowed: a list as %s', async (user) => {
  const { status, text } = await viewer.send('GET', MAPS, undefined, as(user));
  expect([status, text]).toEqual([200, expect.stringContaining('"name":"map"')]);
});

test('the user needs the right as well, whatever the client may', async () => {
  await allow(server, 'viewer', 'team', {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['impersonate-on:user-info:list'],
  });
  const { status, text } = await viewer.send('GET', '/api/v1/namespaces/team/secrets', undefined, as('bob'));
  expect([status, text]).toEqual([403, expect.stringContaining('User \\"bob\\" cannot list')]);
});

test('rights on a namespace do not grant the verbs', async () => {
  const { status } = await impersonating(server).send('POST', `${RBAC}/namespaces/other/rolebindings`, {
    metadata: { name: 'viewer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
  });
  expect(status).toBe(201);
  const role = await viewer.send('POST', `${RBAC}/namespaces/other/roles`, roleOf('get'));
  expect(role.status).toBe(201);
  const escalation = await viewer.send(
    'POST',
    `${RBAC}/namespaces/other/roles`,
    roleOf('impersonate-on:user-info:list'),
  );
  expect([escalation.status, escalation.text]).toEqual([
    403,
    expect.stringContaining('attempting to grant RBAC permissions'),
  ]);
  const list = await viewer.send('GET', '/api/v1/namespaces/other/configmaps', undefined, as('bob'));
  expect(list.status).toBe(403);
});

describeWith('kubectl')('kubectl --as', () => {
  const get = (...args: readonly string[]) => {
    const target = { kubeconfig: server.kubeconfig, directory: server.directory, as: 'bob' };
    return kubectl(target).attempt([`--token=${VIEWER_TOKEN}`, ...args]);
  };

  test('lists, once it may discover as the user, and gets nothing', async () => {
    expect(get('get', 'configmaps', '-n', 'team').err).toContain('Forbidden');
    const rules = [
      { nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*'], verbs: ['impersonate-on:user-info:get'] },
    ];
    const admin = impersonating(server);
    await admin.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'discovery-as' }, rules });
    await admin.send('POST', `${RBAC}/clusterrolebindings`, {
      metadata: { name: 'discovery-as' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'discovery-as' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'viewer' }],
    });
    expect(get('get', 'configmaps', '-n', 'team')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nmap /),
    });
    expect(get('get', 'configmap', 'map', '-n', 'team')).toMatchObject({
      code: 1,
      err: expect.stringContaining('User "viewer" cannot impersonate-on:user-info:get resource "configmaps"'),
    });
    expect(get('delete', 'configmap', 'map', '-n', 'team').code).toBe(1);
  });
});
