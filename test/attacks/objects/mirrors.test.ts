/**
 * A mirror of a SharedSecret does not outlive the right that it is based on: whichever way the right ends, the data are
 * removed within five seconds, and later data of the source never appear in the mirror.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { impersonating, type Actor, type Reply } from '../../fixtures/clients/impersonation.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { fetchFrom } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const GROUP = 'management.svc.example';
const API = `/apis/${GROUP}/v1`;
const RBAC = 'rbac.authorization.k8s.io';
const SHARED = `${API}/namespaces/default/sharedsecrets`;
const MIRRORS = `${API}/namespaces/team/projectsecrets`;
const CORE = '/api/v1/namespaces/team';
const OLD = { a: 'b2xk' };
const NEW = { a: 'bmV3' };
const APPLY = 'application/apply-patch+yaml';

type Data = Record<string, string>;
interface Secret {
  metadata: { name: string; uid: string; labels?: Data; managedFields?: unknown[] };
  spec: { data?: Data };
  status: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}

const labelsOf = (name: string): Data => ({
  [`${GROUP}/sharedsecret-name`]: name,
  [`${GROUP}/sharedsecret-namespace`]: 'default',
});

/** The user who creates the mirror, and how the right to read the source is granted and revoked. */
interface Variant {
  readonly writer: (admin: Actor, on: EngineServer, name: string) => Promise<Actor> | Actor;
  readonly give: (admin: Actor, name: string) => Promise<unknown>;
  readonly take: (admin: Actor, name: string) => Promise<unknown>;
  /** Whether the mirror is filled again when the right is granted again. */
  readonly returns: boolean;
}

const send = async (admin: Actor, ...what: Parameters<Actor['send']>): Promise<Reply> => {
  const answer = await admin.send(...what);
  if (answer.status >= 300) throw new Error(`${what[0]} ${what[1]}: ${JSON.stringify(answer)}`);
  return answer;
};
const patch = (admin: Actor, path: string, body: object): Promise<Reply> => send(admin, 'PATCH', path, body);

async function bind(admin: Actor, name: string, subject: object, wide = false): Promise<void> {
  const where = wide ? `/apis/${RBAC}/v1` : `/apis/${RBAC}/v1/namespaces/default`;
  const kind = wide ? 'ClusterRole' : 'Role';
  const plural = kind.toLowerCase();
  const rule = { apiGroups: [GROUP], resources: ['sharedsecrets'], verbs: ['get'], resourceNames: [name] };
  await admin.send('POST', `${where}/${plural}s`, { metadata: { name: `read-${name}` }, rules: [rule] });
  await send(admin, 'POST', `${where}/${plural}bindings`, {
    metadata: { name: `read-${name}` },
    roleRef: { apiGroup: RBAC, kind, name: `read-${name}` },
    subjects: [subject],
  });
}
const rbac = (name: string, kind: string, wide = false): string =>
  `/apis/${RBAC}/v1/${wide ? '' : 'namespaces/default/'}${kind}/read-${name}`;
const userOf = (name: string): object => ({ apiGroup: RBAC, kind: 'User', name: `w-${name}` });
const groupOf = (name: string): object => ({ apiGroup: RBAC, kind: 'Group', name });
const known = async (admin: Actor, on: EngineServer, name: string, spec: object = {}): Promise<Actor> => {
  await send(admin, 'POST', `${API}/users`, { metadata: { name: `w-${name}` }, spec });
  const key = await keyed(admin, on, { user: `w-${name}` });
  return key;
};

/** Sends requests with an access key. */
async function keyed(admin: Actor, { server }: EngineServer, spec: object, name?: string): Promise<Actor> {
  const metadata = name === undefined ? { generateName: 'k-' } : { name };
  const made = await send(admin, 'POST', `${API}/ownedaccesskeys`, { metadata, spec });
  const token = (made.body as { spec: { key: string } }).spec.key;
  return {
    async send(method, path, body, type) {
      const standard = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const { status, text } = await fetchFrom(`${server.url}${path}`, {
        method,
        token,
        headers: { 'content-type': type ?? standard },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status, body: JSON.parse(text) as never };
    },
  };
}

const impersonated = (_admin: Actor, { server }: EngineServer, name: string): Actor =>
  impersonating(server, `w-${name}`);
const inTeam = async (admin: Actor, name: string): Promise<unknown> => {
  await admin.send('POST', `${API}/teams`, { metadata: { name: `t-${name}` }, spec: {} });
  await patch(admin, `${API}/teams/t-${name}`, { spec: { users: [`w-${name}`] } });
  return share(admin, name, { verbs: ['get'], teams: [`t-${name}`] });
};
const share = (admin: Actor, name: string, ...access: object[]): Promise<unknown> =>
  patch(admin, `${SHARED}/${name}`, { spec: { access } });

const VARIANTS: Readonly<Record<string, Variant>> = {
  'a RoleBinding goes': {
    writer: impersonated,
    give: (admin, name) => bind(admin, name, userOf(name)),
    take: (admin, name) => send(admin, 'DELETE', rbac(name, 'rolebindings')),
    returns: true,
  },
  'a ClusterRoleBinding goes': {
    writer: impersonated,
    give: (admin, name) => bind(admin, name, userOf(name), true),
    take: (admin, name) => send(admin, 'DELETE', rbac(name, 'clusterrolebindings', true)),
    returns: true,
  },
  'a Role loses its rule': {
    writer: impersonated,
    give: (admin, name) => bind(admin, name, userOf(name)),
    take: (admin, name) => patch(admin, rbac(name, 'roles'), { rules: [] }),
    returns: false,
  },
  'an entry of spec.access goes': {
    writer: impersonated,
    give: (admin, name) => share(admin, name, { verbs: ['get'], users: [`w-${name}`] }),
    take: (admin, name) => share(admin, name),
    returns: true,
  },
  'the source gets another owner': {
    writer: impersonated,
    give: (admin, name) => patch(admin, `${SHARED}/${name}`, { spec: { owner: { user: `w-${name}` } } }),
    take: (admin, name) => patch(admin, `${SHARED}/${name}`, { spec: { owner: { user: 'admin' } } }),
    returns: true,
  },
  'the binding of a group that only the credential told of goes': {
    writer: (_admin, { server }, name) => impersonating(server, `w-${name}`, [`g-${name}`]),
    give: (admin, name) => bind(admin, name, groupOf(`g-${name}`)),
    take: (admin, name) => send(admin, 'DELETE', rbac(name, 'rolebindings')),
    returns: true,
  },
  'the user leaves the team': {
    writer: known,
    give: inTeam,
    take: (admin, name) => patch(admin, `${API}/teams/t-${name}`, { spec: { users: [] } }),
    returns: true,
  },
  'the team goes': {
    writer: known,
    give: inTeam,
    take: (admin, name) => send(admin, 'DELETE', `${API}/teams/t-${name}`),
    returns: true,
  },
  'the team of a key of a team goes': {
    async writer(admin, on, name) {
      await send(admin, 'POST', `${API}/teams`, { metadata: { name: `t-${name}` }, spec: {} });
      return keyed(admin, on, { team: `t-${name}` });
    },
    give: (admin, name) => share(admin, name, { verbs: ['get'], teams: [`t-${name}`] }),
    take: (admin, name) => send(admin, 'DELETE', `${API}/teams/t-${name}`),
    returns: false,
  },
  'the user is disabled': {
    writer: known,
    give: async (admin, name) => {
      await patch(admin, `${API}/users/w-${name}`, { spec: { disabled: false } });
      await share(admin, name, { verbs: ['get'], users: [`w-${name}`] });
    },
    take: (admin, name) => patch(admin, `${API}/users/w-${name}`, { spec: { disabled: true } }),
    returns: true,
  },
  'the user goes, and another of the name comes': {
    writer: known,
    give: (admin, name) => bind(admin, name, userOf(name)),
    async take(admin, name) {
      await send(admin, 'DELETE', `${API}/users/w-${name}`);
      await send(admin, 'POST', `${API}/users`, { metadata: { name: `w-${name}` }, spec: {} });
    },
    returns: false,
  },
  'the User loses a group': {
    writer: (admin, on, name) => known(admin, on, name, { groups: [`g-${name}`] }),
    give: async (admin, name) => {
      await patch(admin, `${API}/users/w-${name}`, { spec: { groups: [`g-${name}`] } });
      await admin.send('DELETE', rbac(name, 'rolebindings'));
      await bind(admin, name, groupOf(`g-${name}`));
    },
    take: (admin, name) => patch(admin, `${API}/users/w-${name}`, { spec: { groups: [] } }),
    returns: true,
  },
  'the access key whose groups had the right goes': {
    writer: (admin, on, name) =>
      keyed(admin, on, { subject: `w-${name}`, groups: [`g-${name}`] }, `key-${name}`),
    give: (admin, name) => bind(admin, name, groupOf(`g-${name}`)),
    take: (admin, name) => send(admin, 'DELETE', `${API}/ownedaccesskeys/key-${name}`),
    returns: false,
  },
  'the access key loses its groups': {
    writer: (admin, on, name) =>
      keyed(admin, on, { subject: `w-${name}`, groups: [`g-${name}`] }, `key-${name}`),
    give: async (admin, name) => {
      await patch(admin, `${API}/ownedaccesskeys/key-${name}`, { spec: { groups: [`g-${name}`] } });
      await admin.send('DELETE', rbac(name, 'rolebindings'));
      await bind(admin, name, groupOf(`g-${name}`));
    },
    take: (admin, name) => patch(admin, `${API}/ownedaccesskeys/key-${name}`, { spec: { groups: [] } }),
    returns: true,
  },
  'the service account goes': {
    async writer(admin, on, name) {
      await admin.send('POST', `${CORE}/serviceaccounts`, { metadata: { name: `w-${name}` } });
      return impersonating(on.server, `system:serviceaccount:team:w-${name}`);
    },
    give: (admin, name) =>
      bind(admin, name, { kind: 'ServiceAccount', name: `w-${name}`, namespace: 'team' }),
    take: (admin, name) => send(admin, 'DELETE', `${CORE}/serviceaccounts/w-${name}`),
    returns: false,
  },
};

let on: EngineServer;
let admin: Actor;

beforeAll(async () => {
  on = await startEmbedded({ controllers: 'shared-secret-sync-controller' });
  admin = impersonating(on.server);
  await send(admin, 'POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
  await send(admin, 'POST', `/apis/${RBAC}/v1/namespaces/team/roles`, {
    metadata: { name: 'writers' },
    rules: [{ apiGroups: [GROUP], resources: ['projectsecrets', 'projectsecrets/status'], verbs: ['*'] }],
  });
  await send(admin, 'POST', `/apis/${RBAC}/v1/namespaces/team/rolebindings`, {
    metadata: { name: 'writers' },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'writers' },
    subjects: [groupOf('system:authenticated')],
  });
});
afterAll(() => on.remove());

const read = async (name: string): Promise<Secret> =>
  (await admin.send<Secret>('GET', `${MIRRORS}/${name}`)).body;
const synced = ({ status }: Secret): string => {
  const { status: is, reason } = status.conditions?.find(({ type }) => type === 'Synced') ?? {};
  return `${is} ${reason}`;
};
const sourced = (name: string): Promise<unknown> =>
  send(admin, 'POST', SHARED, { metadata: { name }, spec: { data: OLD } });
const mirrored = (by: Actor, name: string): Promise<Reply> =>
  send(by, 'POST', MIRRORS, { metadata: { name, labels: labelsOf(name) } });
const becomes = (name: string, data: Data, condition = 'True Synced'): Promise<Secret> =>
  eventually(`${name} ${JSON.stringify(data)} ${condition}`, async () => {
    const secret = await read(name);
    return JSON.stringify(secret.spec.data ?? {}) === JSON.stringify(data) && synced(secret) === condition
      ? secret
      : undefined;
  });
const revoked = (name: string): Promise<Secret> => becomes(name, {}, 'False Revoked');
const changed = (name: string, data: Data): Promise<unknown> =>
  patch(admin, `${SHARED}/${name}`, { spec: { data } });

test.each(Object.entries(VARIANTS))('where %s', async (what, { writer, give, take, returns }) => {
  const name = `m${Object.keys(VARIANTS).indexOf(what)}`;
  await sourced(name);
  const by = await writer(admin, on, name);
  await give(admin, name);
  await mirrored(by, name);
  await becomes(name, OLD);
  await take(admin, name);
  const { status } = await revoked(name);
  expect(JSON.stringify(status)).not.toContain(OLD.a);
  await changed(name, NEW);
  const touched = await admin.send('PATCH', `${MIRRORS}/${name}`, { spec: { displayName: 'x' } });
  expect([touched.status, (await read(name)).spec.data ?? {}]).toEqual([200, {}]);
  if (!returns) return;
  await give(admin, name);
  await becomes(name, NEW);
});

test('data that changes in the write that ends the right is never seen', async () => {
  await sourced('together');
  const by = impersonating(on.server, 'w-together');
  await share(admin, 'together', { verbs: ['get'], users: ['w-together'] });
  await mirrored(by, 'together');
  await becomes('together', OLD);
  await patch(admin, `${SHARED}/together`, { spec: { access: [], data: NEW } });
  const seen = new Set<string>();
  await eventually('revoked', async () => {
    const secret = await read('together');
    seen.add(JSON.stringify(secret.spec.data ?? {}));
    return synced(secret) === 'False Revoked';
  });
  expect([...seen]).not.toContain(JSON.stringify(NEW));
});

test('a source that somebody else recreated is not used, although the right names it', async () => {
  const by = impersonating(on.server, 'w-anew');
  await bind(admin, 'anew', userOf('anew'));
  await sourced('anew');
  await mirrored(by, 'anew');
  await becomes('anew', OLD);
  await send(admin, 'DELETE', `${SHARED}/anew`);
  await send(admin, 'POST', SHARED, {
    metadata: { name: 'anew' },
    spec: { data: NEW, owner: { user: 'carla' } },
  });
  await revoked('anew');
  expect((await read('anew')).spec.data ?? {}).toEqual({});
  // A user who sets the labels again refers to the new source.
  const off = Object.fromEntries(Object.keys(labelsOf('')).map((label) => [label, null]));
  await patch(by, `${MIRRORS}/anew`, { metadata: { labels: off } });
  await patch(by, `${MIRRORS}/anew`, { metadata: { labels: labelsOf('anew') } });
  await becomes('anew', NEW);
});

describe('a mirror that was revoked', () => {
  const path = `${MIRRORS}/held`;
  const stranger = (): Actor => impersonating(on.server, 'stranger');

  beforeAll(async () => {
    await sourced('held');
    await share(admin, 'held', { verbs: ['get'], users: ['w-held'] });
    await mirrored(impersonating(on.server, 'w-held'), 'held');
    await becomes('held', OLD);
  });

  test('is not restored by a user who changes something else', async () => {
    const put = await eventually('a PUT', async () => {
      const live = await read('held');
      const spec = { ...live.spec, displayName: 'put' };
      const { status } = await stranger().send('PUT', path, { ...live, spec });
      return status === 409 ? undefined : status;
    });
    const object = { kind: 'ProjectSecret', apiVersion: `${GROUP}/v1`, metadata: { name: 'held' } };
    const applied = await stranger().send('PATCH', `${path}?fieldManager=x&force=true`, object, APPLY);
    const admins = await admin.send('PATCH', path, { spec: { displayName: 'admin' } });
    expect([put, applied.status, admins.status]).toEqual([200, 200, 200]);
    await share(admin, 'held');
    await revoked('held');
  });

  test('stays revoked after changes of other fields, or of its status', async () => {
    const live = await read('held');
    const conditions = [
      { type: 'Synced', status: 'True', reason: 'Synced', message: '', lastTransitionTime: null },
    ];
    const told = { ...live, metadata: { name: 'held' }, status: { conditions } };
    for (const by of [stranger(), impersonating(on.server, 'w-held'), admin]) {
      await by.send('PATCH', path, { spec: { displayName: 'again' } });
      await by.send('PUT', `${path}/status`, told);
      await by.send('PATCH', `${path}/status`, { status: { conditions, source: { uid: 'x' } } });
      expect((await by.send('PATCH', path, { spec: { data: NEW } })).status).toBe(422);
    }
    await changed('held', NEW);
    await revoked('held');
  });

  test('is not pointed at a source that the writer may not read', async () => {
    await sourced('other');
    const object = { kind: 'ProjectSecret', apiVersion: `${GROUP}/v1` };
    const metadata = { name: 'held', labels: labelsOf('other') };
    const patches = Object.entries(labelsOf('other')).map(([label, value]) => ({
      op: 'add',
      path: `/metadata/labels/${label.replaceAll('/', '~1')}`,
      value,
    }));
    const live = await read('held');
    const answers = [
      await stranger().send('PATCH', path, { metadata }),
      await stranger().send('PATCH', path, patches, 'application/json-patch+json'),
      await stranger().send('PATCH', `${path}?fieldManager=x&force=true`, { ...object, metadata }, APPLY),
      await stranger().send('PUT', path, {
        ...live,
        metadata: { ...live.metadata, labels: metadata.labels },
      }),
      await stranger().send('POST', MIRRORS, { metadata: { ...metadata, name: 'fresh' } }),
      await stranger().send('PUT', `${MIRRORS}/fresh`, {
        ...object,
        metadata: { ...metadata, name: 'fresh' },
      }),
    ];
    expect(answers.map(({ status }) => [403, 404, 409].includes(status))).toEqual(answers.map(() => true));
    expect((await read('held')).spec.data ?? {}).toEqual({});
  });

  test('is a mirror again if a user who may read the source removes and sets the labels', async () => {
    const off = Object.fromEntries(Object.keys(labelsOf('')).map((label) => [label, null]));
    await patch(admin, path, { metadata: { labels: off } });
    expect((await stranger().send('PATCH', path, { metadata: { labels: labelsOf('held') } })).status).toBe(
      403,
    );
    await patch(admin, path, { metadata: { labels: labelsOf('held') } });
    await becomes('held', NEW);
    // The data are also removed when the labels are removed.
    await patch(stranger(), path, { metadata: { labels: off }, spec: { data: { own: 'b3du' } } });
    expect((await read('held')).spec.data).toEqual({ own: 'b3du' });
  });
});

test('a right that was taken as the server ended is found taken by the next', async () => {
  await sourced('restart');
  await share(admin, 'restart', { verbs: ['get'], users: ['w-restart'] });
  await mirrored(impersonating(on.server, 'w-restart'), 'restart');
  await becomes('restart', OLD);
  await share(admin, 'restart');
  await on.server.restart();
  await revoked('restart');
});
