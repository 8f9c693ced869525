/**
 * The kubeconfig of a Cluster is used with the right of the user who named its Secret. Whichever way that right ends,
 * the credentials are not used any more, and a Secret that replaced the named one is not used.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { impersonating, allow, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { startStub, type StubServer } from '../../fixtures/stubs/stubserver.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const CLUSTERS = `${API}/clusters`;
const SECRETS = '/api/v1/namespaces/management-system/secrets';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLES = `${RBAC}/namespaces/management-system`;
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

interface Cluster {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  };
}

const send = async (by: Actor, ...what: Parameters<Actor['send']>): Promise<Reply> => {
  const answer = await by.send(...what);
  if (answer.status >= 300) throw new Error(`${what[0]} ${what[1]}: ${JSON.stringify(answer)}`);
  return answer;
};

const userOf = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
const groupOf = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name });

/** Grants `get` on the Secret with that name. */
async function bind(admin: Actor, name: string, subject: object): Promise<void> {
  const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: [name] }];
  await admin.send('DELETE', `${ROLES}/rolebindings/${name}`);
  await admin.send('POST', `${ROLES}/roles`, { metadata: { name }, rules });
  await send(admin, 'PATCH', `${ROLES}/roles/${name}`, { rules });
  await send(admin, 'POST', `${ROLES}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [subject],
  });
}
const unbind = (admin: Actor, name: string): Promise<unknown> =>
  send(admin, 'DELETE', `${ROLES}/rolebindings/${name}`);

async function keyed(admin: Actor, { server }: EngineServer, name: string, spec: object): Promise<Actor> {
  const made = await send(admin, 'POST', `${API}/ownedaccesskeys`, { metadata: { name: `k-${name}` }, spec });
  const token = (made.body as { spec: { key: string } }).spec.key;
  return {
    async send(method, path, body) {
      const headers = { 'content-type': 'application/json' };
      const sent = { method, token, headers, body: JSON.stringify(body) };
      const { status, text } = await fetchFrom(`${server.url}${path}`, sent);
      return { status, body: JSON.parse(text) as never };
    },
  };
}
const known = async (admin: Actor, on: EngineServer, name: string): Promise<Actor> => {
  await send(admin, 'POST', `${API}/users`, { metadata: { name }, spec: {} });
  return keyed(admin, on, name, { user: name });
};

/** The user who names the Secret, and how the right to the Secret is granted and revoked. */
interface Variant {
  readonly writer: (admin: Actor, on: EngineServer, name: string) => Promise<Actor> | Actor;
  readonly give: (admin: Actor, name: string) => Promise<unknown>;
  readonly take: (admin: Actor, name: string) => Promise<unknown>;
  /** Whether the kubeconfig is used again when the right is granted again. */
  readonly returns?: true;
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'a RoleBinding goes': {
    writer: (_admin, { server }, name) => impersonating(server, name),
    give: (admin, name) => bind(admin, name, userOf(name)),
    take: unbind,
    returns: true,
  },
  'a Role loses its rule': {
    writer: known,
    give: (admin, name) => bind(admin, name, userOf(name)),
    take: (admin, name) => send(admin, 'PATCH', `${ROLES}/roles/${name}`, { rules: [] }),
    returns: true,
  },
  'the binding of a group that only the credential told of goes': {
    writer: (_admin, { server }, name) => impersonating(server, name, [`g-${name}`]),
    give: (admin, name) => bind(admin, name, groupOf(`g-${name}`)),
    take: unbind,
    returns: true,
  },
  'the user is disabled': {
    writer: known,
    give: async (admin, name) => {
      await send(admin, 'PATCH', `${API}/users/${name}`, { spec: { disabled: false } });
      await bind(admin, name, userOf(name));
    },
    take: (admin, name) => send(admin, 'PATCH', `${API}/users/${name}`, { spec: { disabled: true } }),
    returns: true,
  },
  'the user goes, and another of the name comes': {
    writer: known,
    give: (admin, name) => bind(admin, name, userOf(name)),
    async take(admin, name) {
      await send(admin, 'DELETE', `${API}/users/${name}`);
      await send(admin, 'POST', `${API}/users`, { metadata: { name }, spec: {} });
    },
  },
  'the user leaves the team': {
    writer: known,
    async give(admin, name) {
      await admin.send('POST', `${API}/teams`, { metadata: { name } });
      await send(admin, 'PATCH', `${API}/teams/${name}`, { spec: { users: [name] } });
      await bind(admin, name, groupOf(`management:team:${name}`));
    },
    take: (admin, name) => send(admin, 'PATCH', `${API}/teams/${name}`, { spec: { users: [] } }),
    returns: true,
  },
  'the access key whose groups had the right goes': {
    writer: (admin, on, name) => keyed(admin, on, name, { subject: name, groups: [`g-${name}`] }),
    give: (admin, name) => bind(admin, name, groupOf(`g-${name}`)),
    take: (admin, name) => send(admin, 'DELETE', `${API}/ownedaccesskeys/k-${name}`),
  },
  'the service account goes': {
    async writer(admin, { server }, name) {
      await send(admin, 'POST', ACCOUNTS, { metadata: { name } });
      return impersonating(server, `system:serviceaccount:default:${name}`);
    },
    give: (admin, name) => bind(admin, name, { kind: 'ServiceAccount', name, namespace: 'default' }),
    take: (admin, name) => send(admin, 'DELETE', `${ACCOUNTS}/${name}`),
  },
};

let on: EngineServer;
let admin: Actor;
let stub: StubServer;
/** The bearer tokens that the cluster received, in order. */
let shown: string[];

beforeAll(async () => {
  on = await startEmbedded({ controllers: 'cluster-controller' });
  admin = impersonating(on.server);
  shown = [];
  stub = await startStub((request, response) => {
    shown.push((request.headers.authorization ?? '').slice('Bearer '.length));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"gitVersion":"v1.36.0"}');
  });
  await send(admin, 'POST', `${RBAC}/clusterroles`, {
    metadata: { name: 'clusters' },
    rules: [{ apiGroups: [GROUP], resources: ['clusters'], verbs: ['*'] }],
  });
  await send(admin, 'POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'clusters' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clusters' },
    subjects: [groupOf('system:authenticated')],
  });
});
afterAll(() => Promise.all([on.remove(), stub.stop()]));

const secret = (name: string, token = name): object => {
  const authority = Buffer.from(stub.authority).toString('base64');
  const config = JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: stub.url, 'certificate-authority-data': authority } }],
    users: [{ name: 'c', user: { token } }],
  });
  return { metadata: { name }, data: { config: Buffer.from(config).toString('base64') } };
};
const cluster = (name: string): object => ({ metadata: { name }, spec: { config: { secretName: name } } });
const becomes = (name: string, wanted: string): Promise<string> =>
  eventually(`${name} is ${wanted}`, async () => {
    const { body } = await admin.send<Cluster>('GET', `${CLUSTERS}/${name}`);
    const found = body.status?.conditions?.find(({ type }) => type === 'KubeconfigAccepted');
    return `${found?.status} ${found?.reason}` === wanted && (found?.message ?? '-');
  });
const ACCEPTED = 'True Accepted';
const REVOKED = 'False Revoked';
/** Changes the object, so that the server connects to the cluster again. */
const touch = (by: Actor, name: string): Promise<Reply> =>
  by.send('PATCH', `${CLUSTERS}/${name}`, { spec: { description: `touched ${Math.random()}` } });

test.each(Object.entries(VARIANTS))('is not used where %s', async (what, variant) => {
  const name = `c${Object.keys(VARIANTS).indexOf(what)}`;
  await send(admin, 'POST', SECRETS, secret(name));
  const by = await variant.writer(admin, on, name);
  expect((await by.send('POST', CLUSTERS, cluster(name))).status).toBe(403);
  await variant.give(admin, name);
  await send(by, 'POST', CLUSTERS, cluster(name));
  await becomes(name, ACCEPTED);
  await variant.take(admin, name);
  const message = await becomes(name, REVOKED);
  expect(message).toContain('takes spec.config off');
  const before = shown.filter((token) => token === name).length;
  expect(before).toBeGreaterThan(0);
  await touch(admin, name);
  await send(admin, 'PATCH', `${SECRETS}/${name}`, { metadata: { labels: { touched: 'yes' } } });
  await becomes(name, REVOKED);
  if (variant.returns !== true) return expect(shown.filter((token) => token === name)).toHaveLength(before);
  expect(shown.filter((token) => token === name)).toHaveLength(before);
  await variant.give(admin, name);
  await becomes(name, ACCEPTED);
});

test('is not used where the Secret was deleted and created again', async () => {
  const by = impersonating(on.server, 'owner');
  const mallory = impersonating(on.server, 'mallory');
  const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['create', 'delete'] };
  await allow(on.server, 'mallory', 'management-system', rule);
  await bind(admin, 'anew', userOf('owner'));
  await send(admin, 'POST', SECRETS, secret('anew', 'first'));
  await send(by, 'POST', CLUSTERS, cluster('anew'));
  await becomes('anew', ACCEPTED);
  await send(mallory, 'DELETE', `${SECRETS}/anew`);
  await send(mallory, 'POST', SECRETS, secret('anew', 'evil'));
  expect(await becomes('anew', REVOKED)).toContain('deleted and created again');
  await touch(by, 'anew');
  await becomes('anew', REVOKED);
  // A user without the right to the Secret cannot make the kubeconfig valid, not even by writing the same value
  // again.
  expect((await mallory.send('PATCH', `${CLUSTERS}/anew`, { spec: { config: null } })).status).toBe(200);
  expect((await mallory.send('PATCH', `${CLUSTERS}/anew`, cluster('anew'))).status).toBe(403);
  expect(shown).not.toContain('evil');
  await send(by, 'PATCH', `${CLUSTERS}/anew`, cluster('anew'));
  await becomes('anew', ACCEPTED);
  expect(shown).toContain('evil');
});

test('is used on, whatever else changes', async () => {
  const by = impersonating(on.server, 'holder');
  await bind(admin, 'kept', userOf('holder'));
  await send(by, 'POST', CLUSTERS, cluster('kept'));
  await becomes('kept', 'False KubeconfigRefused');
  await send(admin, 'POST', SECRETS, secret('kept', 'one'));
  await becomes('kept', ACCEPTED);
  await touch(impersonating(on.server, 'somebody'), 'kept');
  await send(admin, 'PATCH', `${SECRETS}/kept`, secret('kept', 'two'));
  await eventually('the new token', () => Promise.resolve(shown.includes('two')));
  await bind(admin, 'other', userOf('holder'));
  await unbind(admin, 'other');
  // Another user who may get the Secret takes over the right by naming the Secret again.
  await send(admin, 'PATCH', `${CLUSTERS}/kept`, { spec: { config: null } });
  await send(admin, 'PATCH', `${CLUSTERS}/kept`, cluster('kept'));
  await unbind(admin, 'kept');
  await touch(admin, 'kept');
  await becomes('kept', ACCEPTED);
  // Another Cluster with the same name has no right.
  await send(admin, 'DELETE', `${CLUSTERS}/kept`);
  expect((await by.send('POST', CLUSTERS, cluster('kept'))).status).toBe(403);
  await send(admin, 'POST', CLUSTERS, cluster('kept'));
  await becomes('kept', ACCEPTED);
});
