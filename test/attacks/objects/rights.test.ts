/** Requests that must be refused: each row is a request of a user who would gain rights or data by it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN, fetchFrom, type Answer } from '../../fixtures/servers/server.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const secret = (name: string): string => `${API}/namespaces/default/sharedsecrets/${name}`;
const inWeb = (resource: string): string => `${API}/namespaces/loft-p-web/${resource}`;
const key = (name: string): string => `${API}/ownedaccesskeys/${name}`;
const access = (verbs: string[], users: string[]): object => ({ verbs, users });
const keyFor = (spec: object): object => ({ metadata: { generateName: 'k-' }, spec });

/**
 * stranger: has no rights. reader, editor: have get, and get and update, on anna's secret by its access rules. wide:
 * may update all secrets. member: is a user of project web. manager: may update projects. clerk: may create users,
 * teams and clusters. scoped: uses a key for project web only. The rights of the others are those of their keys.
 */
type Person = 'stranger' | 'reader' | 'editor' | 'wide' | 'member' | 'manager' | 'clerk' | 'admin' | 'scoped';

/** [user, method, path, body, content type of a PATCH, status] */
type Attack = [Person, string, string, unknown?, string?, number?];

const ATTACKS: Attack[] = [
  // Secrets of other users
  ['stranger', 'GET', secret('annas')],
  ['stranger', 'GET', `${API}/namespaces/default/sharedsecrets`],
  ['stranger', 'GET', `${API}/sharedsecrets`],
  ['stranger', 'GET', `${API}/namespaces/default/sharedsecrets?watch=true`],
  ['stranger', 'POST', `${API}/namespaces/default/sharedsecrets`, { metadata: { name: 'mine' } }],
  ['stranger', 'PATCH', secret('annas'), { spec: { displayName: 'x' } }, MERGE],
  ['stranger', 'DELETE', secret('annas')],
  ['stranger', 'DELETE', `${API}/namespaces/default/sharedsecrets`],
  ['reader', 'PATCH', secret('annas'), { spec: { displayName: 'x' } }, MERGE],
  ['reader', 'DELETE', secret('annas')],
  ['editor', 'DELETE', secret('annas')],
  // Granting rights that the user does not have
  ['editor', 'PATCH', secret('annas'), { spec: { access: [access(['*'], ['editor'])] } }, MERGE],
  ['editor', 'PATCH', secret('annas'), { spec: { access: [access(['delete'], ['stranger'])] } }, MERGE],
  [
    'editor',
    'PATCH',
    secret('annas'),
    [{ op: 'add', path: '/spec/access/-', value: access(['delete'], ['editor']) }],
    JSON_PATCH,
  ],
  ['editor', 'PATCH', secret('annas'), { spec: { owner: { user: 'editor' } } }, MERGE],
  ['wide', 'PATCH', secret('annas'), { spec: { access: [access(['*'], ['wide'])] } }, MERGE],
  ['wide', 'PATCH', secret('annas'), { spec: { owner: { user: 'wide' } } }, MERGE],
  ['wide', 'PATCH', secret('annas'), { spec: { owner: { team: 'ops' } } }, MERGE],
  [
    'wide',
    'PATCH',
    secret('annas'),
    [{ op: 'replace', path: '/spec/owner/user', value: 'wide' }],
    JSON_PATCH,
  ],
  ['member', 'PATCH', `${API}/projects/web`, { spec: { access: [access(['*'], ['member'])] } }, MERGE],
  ['manager', 'PATCH', `${API}/projects/web`, { spec: { access: [access(['delete'], ['manager'])] } }, MERGE],
  // Keys for other users, and of other users
  ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({ user: 'anna' })],
  ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({ team: 'ops' })],
  ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({ subject: 'anna' })],
  ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({ groups: ['management:admins'] })],
  ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({ groups: ['management:team:ops'] })],
  ['stranger', 'GET', key('annas')],
  ['stranger', 'PATCH', key('annas'), { spec: { disabled: true } }, MERGE],
  ['stranger', 'PATCH', key('annas'), { spec: { key: `mk_${'x'.repeat(40)}` } }, MERGE],
  ['stranger', 'PUT', key('annas'), { metadata: { name: 'annas' }, spec: { user: 'stranger' } }],
  ['stranger', 'DELETE', key('annas')],
  ['stranger', 'PATCH', key('strangers'), { spec: { user: 'anna' } }, MERGE],
  ['stranger', 'PATCH', key('strangers'), { spec: { groups: ['management:admins'] } }, MERGE],
  ['stranger', 'PATCH', key('strangers'), [{ op: 'add', path: '/spec/team', value: 'ops' }], JSON_PATCH, 422],
  [
    'stranger',
    'PATCH',
    `${key('strangers')}?fieldManager=me&force=true`,
    { kind: 'OwnedAccessKey', apiVersion: 'management.svc.example/v1', spec: { user: 'anna' } },
    APPLY,
  ],
  ['stranger', 'POST', `${API}/selves`, { spec: { accessKey: 'annas' } }, undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, keyFor({ groups: ['system:masters'] }), undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, keyFor({ user: 'system:admin' }), undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, keyFor({ key: 'short' }), undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, keyFor({ type: 'Root' }), undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, keyFor({ ttl: -1 }), undefined, 422],
  ['admin', 'POST', `${API}/ownedaccesskeys`, { spec: {} }, undefined, 422],
  // Impersonation and self-promotion
  ['stranger', 'POST', `${API}/users`, { metadata: { name: 'me' } }],
  ['stranger', 'POST', `${API}/teams`, { metadata: { name: 'us' } }],
  ['clerk', 'POST', `${API}/users`, { metadata: { name: 'me' }, spec: { groups: ['management:admins'] } }],
  ['clerk', 'POST', `${API}/teams`, { metadata: { name: 'us' }, spec: { users: ['clerk'] } }],
  ['clerk', 'POST', `${API}/teams`, { metadata: { name: 'us' }, spec: { groups: ['clerks'] } }],
  [
    'admin',
    'POST',
    `${API}/users`,
    { metadata: { name: 'me' }, spec: { groups: ['system:masters'] } },
    undefined,
    422,
  ],
  ['stranger', 'POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'b' } }],
  ['stranger', 'POST', '/api/v1/namespaces/kube-system/serviceaccounts/default/token', {}],
  ['stranger', 'GET', '/api/v1/namespaces/management-system/secrets'],
  // Projects, clusters and instances
  ['stranger', 'POST', `${API}/projects`, { metadata: { name: 'mine' } }],
  ['stranger', 'POST', `${API}/projects/web/importvirtualcluster`, {}],
  ['stranger', 'POST', `${API}/projects/web/migratespaceinstance`, {}],
  ['stranger', 'GET', inWeb('spaceinstances/annas')],
  ['member', 'PATCH', `${API}/projects/web`, { spec: { members: [] } }, MERGE],
  ['member', 'DELETE', `${API}/projects/web`],
  [
    'manager',
    'PATCH',
    `${API}/projects/web`,
    { spec: { members: [{ kind: 'User', name: 'manager', clusterRole: 'cluster-admin' }] } },
    MERGE,
  ],
  ['manager', 'PATCH', `${API}/projects/web`, { spec: { owner: { user: 'manager' } } }, MERGE],
  [
    'member',
    'POST',
    inWeb('spaceinstances'),
    { metadata: { name: 'a' }, spec: { clusterRef: { cluster: 'east', namespace: 'others' } } },
  ],
  [
    'member',
    'POST',
    inWeb('virtualclusterinstances'),
    {
      metadata: { name: 'a' },
      spec: { clusterRef: { cluster: 'east', namespace: 'others', virtualCluster: 'v' } },
    },
  ],
  [
    'member',
    'POST',
    inWeb('spaceinstances'),
    { metadata: { name: 'a' }, spec: { clusterRef: { cluster: 'west' } } },
  ],
  [
    'member',
    'POST',
    inWeb('spaceinstances'),
    {
      metadata: { name: 'a' },
      spec: { extraAccessRules: [{ clusterRole: 'cluster-admin', users: ['member'] }] },
    },
  ],
  [
    'member',
    'POST',
    inWeb('projectsecrets'),
    {
      metadata: {
        name: 'a',
        labels: {
          'management.svc.example/sharedsecret-name': 'annas',
          'management.svc.example/sharedsecret-namespace': 'default',
        },
      },
    },
  ],
  ['member', 'POST', `${RBAC}/namespaces/loft-p-web/rolebindings`, { metadata: { name: 'b' } }],
  [
    'clerk',
    'POST',
    `${API}/clusters`,
    {
      metadata: { name: 'c' },
      spec: { config: { secretName: 'east', secretNamespace: 'management-system' } },
    },
  ],
  ['clerk', 'PATCH', `${API}/clusters/east`, { spec: { config: { secretNamespace: 'kube-system' } } }, MERGE],
  // A key for one project
  ['scoped', 'GET', secret('annas')],
  ['scoped', 'GET', `${API}/namespaces/loft-p-shop/projectsecrets`],
  ['scoped', 'GET', `${API}/projects/shop`],
  ['scoped', 'POST', `${API}/projects`, { metadata: { name: 'mine' } }],
  ['scoped', 'PATCH', `${API}/projects/web`, { spec: { displayName: 'x' } }, MERGE],
  ['scoped', 'POST', `${API}/ownedaccesskeys`, keyFor({})],
  ['scoped', 'POST', `${API}/ownedaccesskeys`, keyFor({ scope: { projects: [{ project: '*' }] } })],
  ['scoped', 'PATCH', key('scoped'), { spec: { scope: null } }, MERGE],
  [
    'scoped',
    'PATCH',
    key('scoped'),
    [{ op: 'add', path: '/spec/scope/projects/-', value: { project: 'shop' } }],
    JSON_PATCH,
  ],
  ['scoped', 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {}],
  ['scoped', 'POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'b' } }],
  ['scoped', 'GET', '/metrics'],
  ['scoped', 'GET', '/debug/requests'],
];

const ROLES: Partial<Record<Person, object[]>> = {
  wide: [
    {
      apiGroups: ['management.svc.example'],
      resources: ['sharedsecrets'],
      verbs: ['get', 'list', 'update', 'patch'],
    },
  ],
  manager: [
    { apiGroups: ['management.svc.example'], resources: ['projects'], verbs: ['get', 'update', 'patch'] },
  ],
  clerk: [
    {
      apiGroups: ['management.svc.example'],
      resources: ['users', 'teams', 'clusters'],
      verbs: ['get', 'create', 'patch'],
    },
  ],
};

const impersonating = (user: string): Record<string, string> => ({
  'impersonate-user': user,
  'impersonate-group': 'management:authenticated',
});

let running: EngineServer;
let scopedKey: string;

function send(
  who: Person | 'anna',
  method: string,
  path: string,
  body?: unknown,
  type?: string,
): Promise<Answer> {
  const scoped = who === 'scoped';
  const headers = {
    'content-type': type ?? 'application/json',
    ...(!scoped && who !== 'admin' && impersonating(who)),
  };
  const token = scoped ? scopedKey : ADMIN_TOKEN;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetchFrom(`${running.server.url}${path}`, { method, headers, token, ...sent });
}

async function made(
  path: string,
  body: object,
  who: 'admin' | 'anna' | 'stranger' = 'admin',
): Promise<Answer> {
  const answer = await send(who, 'POST', path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer;
}

beforeAll(async () => {
  running = await startEmbedded();
  for (const name of ['anna', 'stranger']) await made(`${API}/users`, { metadata: { name } });
  await made(`${API}/teams`, { metadata: { name: 'ops' } });
  for (const [who, rules] of Object.entries(ROLES)) {
    await made(`${RBAC}/clusterroles`, { metadata: { name: who }, rules });
    await made(`${RBAC}/clusterrolebindings`, {
      metadata: { name: who },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: who },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: who }],
    });
  }
  const annas = [access(['get'], ['reader']), access(['get', 'update', 'patch'], ['editor'])];
  await made(`${API}/namespaces/default/sharedsecrets`, {
    metadata: { name: 'annas' },
    spec: { owner: { user: 'anna' }, data: { a: 'aHVzaA==' }, access: annas },
  });
  for (const name of ['web', 'shop'])
    await made(`${API}/projects`, {
      metadata: { name },
      spec: {
        allowedClusters: [{ name: 'east' }],
        members: [{ kind: 'User', name: 'member', clusterRole: 'management-project-user' }],
      },
    });
  await made('/api/v1/namespaces/management-system/secrets', { metadata: { name: 'east' } });
  await made(`${API}/clusters`, { metadata: { name: 'east' }, spec: { config: { secretName: 'east' } } });
  await made(inWeb('spaceinstances'), { metadata: { name: 'annas' }, spec: { owner: { user: 'anna' } } });
  await made(key('').slice(0, -1), { metadata: { name: 'annas' }, spec: { user: 'anna' } });
  await made(key('').slice(0, -1), { metadata: { name: 'strangers' } }, 'stranger');
  const scope = { projects: [{ project: 'web' }] };
  const { text } = await made(key('').slice(0, -1), {
    metadata: { name: 'scoped' },
    spec: { groups: ['management:admins'], scope },
  });
  scopedKey = (JSON.parse(text) as { spec: { key: string } }).spec.key;
});
afterAll(() => running.remove());

test('the list has enough attacks', () => {
  expect(ATTACKS.length).toBeGreaterThan(75);
});

test.each(ATTACKS.map((attack, at) => ({ attack, title: `${at + 1}: ${attack.slice(0, 3).join(' ')}` })))(
  '$title is refused',
  async ({ attack: [who, method, path, body, type, status = 403] }) => {
    const answer = await send(who, method, path, body, type);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining('"status":"Failure"')]);
  },
);

test('a scoped key sees only the objects in its scope', async () => {
  await made(inWeb('sharedsecrets'), { metadata: { name: 'webs' } });
  const seen = await send('scoped', 'GET', `${API}/sharedsecrets`);
  const { items } = JSON.parse(seen.text) as { items: { metadata: { name: string } }[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['webs']);
});

test('the same users may do what their rights allow', async () => {
  const may: Attack[] = [
    ['reader', 'GET', secret('annas'), undefined, undefined, 200],
    ['editor', 'PATCH', secret('annas'), { spec: { displayName: 'x' } }, MERGE, 200],
    ['wide', 'PATCH', secret('annas'), { spec: { description: 'x' } }, MERGE, 200],
    [
      'member',
      'POST',
      inWeb('spaceinstances'),
      { metadata: { name: 'mine' }, spec: { clusterRef: { cluster: 'east' } } },
      undefined,
      201,
    ],
    ['manager', 'PATCH', `${API}/projects/web`, { spec: { displayName: 'x' } }, MERGE, 200],
    ['clerk', 'POST', `${API}/users`, { metadata: { name: 'new' } }, undefined, 201],
    ['stranger', 'POST', `${API}/ownedaccesskeys`, keyFor({}), undefined, 201],
    ['scoped', 'GET', `${API}/projects/web`, undefined, undefined, 200],
    ['scoped', 'POST', inWeb('projectsecrets'), { metadata: { name: 'ours' } }, undefined, 201],
  ];
  for (const [who, method, path, body, type, status] of may) {
    const answer = await send(who, method, path, body, type);
    expect([who, method, path, answer.status, answer.status === status ? '' : answer.text]).toEqual([
      who,
      method,
      path,
      status,
      '',
    ]);
  }
});
