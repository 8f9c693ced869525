/**
 * Watches do not outlive the credential, the user or the right that they were opened with: each row opens watches,
 * removes one of these, and immediately writes objects that the watches must not show.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { etcdIsThere } from '../../fixtures/stores/etcd.js';
import { openWatch, type OpenWatch, type Transport } from '../../fixtures/clients/openwatch.js';
import { ADMIN_TOKEN, startServer, type ServerFixture } from '../../fixtures/servers/server.js';
import { startTwoOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const PROTOBUF = 'application/vnd.kubernetes.protobuf;stream=watch';

/** [path, accept, transport]. Every kind in every representation would test the same code. */
const WATCHES: readonly (readonly [string, string, Transport])[] = [
  ['/api/v1/secrets?watch=1', 'application/json', 'HTTP/1.1'],
  ['/api/v1/namespaces/default/secrets?watch=1', TABLE, 'HTTP/2'],
  ['/api/v1/namespaces/default/configmaps?watch=1', PROTOBUF, 'HTTP/1.1'],
  ['/api/v1/watch/namespaces/default/configmaps', METADATA, 'HTTP/1.1'],
  ['/api/v1/namespaces/default/secrets?watch=1&fieldSelector=metadata.name%3Dwatched', '*/*', 'WebSocket'],
  [
    `/api/v1/namespaces/default/secrets?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    '*/*',
    'HTTP/2',
  ],
  [`${API}/namespaces/default/sharedsecrets?watch=1`, 'application/json', 'HTTP/1.1'],
  [`${API}/sharedsecrets?watch=1`, 'application/json', 'WebSocket'],
  [`${RBAC}/namespaces/default/roles?watch=1`, 'application/json', 'HTTP/2'],
  ['/apis/coordination.k8s.io/v1/leases?watch=1', 'application/json', 'HTTP/1.1'],
];

/** Watches with these headers, opened after `begin`, until `end`. */
interface Row {
  readonly name: string;
  begin(admin: Client, id: string): Promise<Record<string, string>>;
  end(admin: Client, id: string): Promise<void>;
}

/** The members of the responses that are used. */
interface Answered {
  readonly spec: { readonly key?: string };
  readonly status: { readonly token?: string };
}

const must = async (admin: Client, method: string, path: string, body?: unknown): Promise<Answered> => {
  const answer = await admin.send(method, path, body, method === 'PATCH' ? MERGE : {});
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as Answered;
};
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const asAdmin = (headers: Record<string, string>): Record<string, string> => ({
  ...bearer(ADMIN_TOKEN),
  ...headers,
});

const user = (admin: Client, name: string, spec: object = {}): Promise<unknown> =>
  must(admin, 'POST', `${API}/users`, { metadata: { name }, spec });
const binding = (admin: Client, name: string, subject: object, role = 'watch-all'): Promise<unknown> =>
  must(admin, 'POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [subject],
  });
const toUser = (name: string): object => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name });
const toGroup = (name: string): object => ({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name });
async function key(admin: Client, name: string, spec: object): Promise<Record<string, string>> {
  const made = await must(admin, 'POST', `${API}/ownedaccesskeys`, { metadata: { name }, spec });
  return bearer(made.spec.key as string);
}
/** Creates a User with a binding and a key. */
async function keyOfUser(admin: Client, id: string, spec: object = {}): Promise<Record<string, string>> {
  await user(admin, id);
  await binding(admin, id, toUser(id));
  return key(admin, id, { user: id, ...spec });
}
const keyPath = (id: string): string => `${API}/ownedaccesskeys/${id}`;
const patchKey = (spec: object) => async (admin: Client, id: string) => {
  await must(admin, 'PATCH', keyPath(id), { spec });
};
const drop = (path: (id: string) => string) => async (admin: Client, id: string) => {
  await must(admin, 'DELETE', path(id));
};
const bindingOf = (id: string): string => `${RBAC}/clusterrolebindings/${id}`;
const nothing = (): Promise<void> => Promise.resolve();

const rolesBehind = async (admin: Client, id: string): Promise<Record<string, string>> => {
  const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }];
  await must(admin, 'POST', `${RBAC}/clusterroles`, { metadata: { name: id }, rules });
  await binding(admin, id, toUser(id), id);
  return asAdmin({ 'impersonate-user': id });
};

/** A user who acts as another one by these rules, of a role each. */
const acting =
  (...rules: readonly object[]): Row['begin'] =>
  async (admin, id) => {
    const own = await keyOfUser(admin, id);
    for (const [at, rule] of rules.entries()) {
      const name = `${id}-acting-${at}`;
      await must(admin, 'POST', `${RBAC}/clusterroles`, { metadata: { name }, rules: [rule] });
      await binding(admin, name, toUser(id), name);
    }
    await binding(admin, `${id}-other`, toUser(`${id}-other`));
    return { ...own, 'impersonate-user': `${id}-other` };
  };

const ROWS: readonly Row[] = [
  { name: 'a key is deleted', begin: keyOfUser, end: drop(keyPath) },
  { name: 'a key is rotated', begin: keyOfUser, end: patchKey({ key: `mk_${'r'.repeat(40)}` }) },
  { name: 'a key is disabled', begin: keyOfUser, end: patchKey({ disabled: true }) },
  {
    name: 'a key narrows its scope',
    begin: keyOfUser,
    end: patchKey({ scope: { projects: [{ project: 'another' }] } }),
  },
  {
    name: 'a user is disabled',
    begin: keyOfUser,
    end: async (admin, id) =>
      void (await must(admin, 'PATCH', `${API}/users/${id}`, { spec: { disabled: true } })),
  },
  { name: 'a user is deleted', begin: keyOfUser, end: drop((id) => `${API}/users/${id}`) },
  {
    name: 'a user leaves a group that has the right',
    async begin(admin, id) {
      await user(admin, id, { groups: [`${id}-group`] });
      await binding(admin, id, toGroup(`${id}-group`));
      return key(admin, id, { user: id });
    },
    end: async (admin, id) =>
      void (await must(admin, 'PATCH', `${API}/users/${id}`, { spec: { groups: [] } })),
  },
  {
    name: 'a user leaves a team that has the right',
    async begin(admin, id) {
      await user(admin, id);
      await must(admin, 'POST', `${API}/teams`, { metadata: { name: id }, spec: { users: [id] } });
      await binding(admin, id, toGroup(`management:team:${id}`));
      return key(admin, id, { user: id });
    },
    end: async (admin, id) =>
      void (await must(admin, 'PATCH', `${API}/teams/${id}`, { spec: { users: [] } })),
  },
  {
    name: 'a team of which the key is goes',
    async begin(admin, id) {
      await must(admin, 'POST', `${API}/teams`, { metadata: { name: id } });
      await binding(admin, id, toGroup(`management:team:${id}`));
      return key(admin, id, { team: id });
    },
    end: drop((id) => `${API}/teams/${id}`),
  },
  { name: 'a binding goes', begin: keyOfUser, end: drop(bindingOf) },
  {
    name: 'a binding names others',
    begin: keyOfUser,
    end: async (admin, id) =>
      void (await must(admin, 'PATCH', bindingOf(id), { subjects: [toUser('other')] })),
  },
  {
    name: 'a role says less',
    begin: rolesBehind,
    end: async (admin, id) => void (await must(admin, 'PATCH', `${RBAC}/clusterroles/${id}`, { rules: [] })),
  },
  { name: 'a role goes', begin: rolesBehind, end: drop((id) => `${RBAC}/clusterroles/${id}`) },
  {
    name: 'a role is aggregated no more',
    async begin(admin, id) {
      const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }];
      await must(admin, 'POST', `${RBAC}/clusterroles`, {
        metadata: { name: `${id}-part`, labels: { [id]: 'yes' } },
        rules,
      });
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [id]: 'yes' } }] };
      await must(admin, 'POST', `${RBAC}/clusterroles`, {
        metadata: { name: id },
        aggregationRule,
        rules: [],
      });
      await binding(admin, id, toUser(id), id);
      return asAdmin({ 'impersonate-user': id });
    },
    async end(admin, id) {
      const role = `${RBAC}/clusterroles/${id}`;
      await must(admin, 'PATCH', `${role}-part`, { metadata: { labels: { [id]: null } } });
      // A controller writes the remaining rules of the aggregated role; the right ends then.
      await eventually('no rules', async () => !(await admin.send('GET', role)).text.includes('"watch"'));
    },
  },
  {
    name: 'the right to impersonate goes',
    begin: acting({ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }),
    end: drop((id) => bindingOf(`${id}-acting-0`)),
  },
  {
    name: 'the right to watch as another user goes',
    begin: acting(
      { verbs: ['impersonate-on:user-info:watch'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users'] },
    ),
    end: drop((id) => bindingOf(`${id}-acting-0`)),
  },
  {
    name: 'a service account is deleted',
    async begin(admin, id) {
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await must(admin, 'POST', accounts, { metadata: { name: id } });
      await binding(admin, id, { kind: 'ServiceAccount', name: id, namespace: 'default' });
      const made = await must(admin, 'POST', `${accounts}/${id}/token`, { spec: {} });
      return bearer(made.status.token as string);
    },
    end: drop((id) => `/api/v1/namespaces/default/serviceaccounts/${id}`),
  },
  {
    name: 'the key goes that a token of a service account was made with',
    async begin(admin, id) {
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await must(admin, 'POST', accounts, { metadata: { name: id } });
      await binding(admin, id, { kind: 'ServiceAccount', name: id, namespace: 'default' });
      const rules = [{ verbs: ['create'], apiGroups: [''], resources: ['serviceaccounts/token'] }];
      await must(admin, 'POST', `${RBAC}/clusterroles`, { metadata: { name: id }, rules });
      await user(admin, id);
      await binding(admin, `${id}-user`, toUser(id), id);
      const by = client(admin, (await key(admin, id, { user: id })).authorization?.slice('Bearer '.length));
      const made = await must(by, 'POST', `${accounts}/${id}/token`, { spec: {} });
      return bearer(made.status.token as string);
    },
    end: drop(keyPath),
  },
  {
    name: 'the Secret of a token is deleted',
    async begin(admin, id) {
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await must(admin, 'POST', accounts, { metadata: { name: id } });
      await must(admin, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: id } });
      await binding(admin, id, { kind: 'ServiceAccount', name: id, namespace: 'default' });
      const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: id };
      const made = await must(admin, 'POST', `${accounts}/${id}/token`, { spec: { boundObjectRef } });
      return bearer(made.status.token as string);
    },
    end: drop((id) => `/api/v1/namespaces/default/secrets/${id}`),
  },
];

/** Expiry. An open watch does not count as activity of its key. */
const TTL_S = 8;
const TTL_ROWS: readonly Row[] = [{}, { ttlAfterLastActivity: true }].map((spec) => ({
  name: JSON.stringify(spec),
  begin: (admin, id) => keyOfUser(admin, id, { ttl: TTL_S, ...spec }),
  end: nothing,
}));

interface Opened {
  readonly id: string;
  readonly watches: readonly OpenWatch[];
  /** By `performance.now()`. */
  readonly began: number;
}

type Servers = readonly ServerFixture[];
const ENGINES: readonly (readonly [string, () => Promise<{ servers: Servers; stop(): Promise<void> }>])[] = [
  [
    'embedded',
    async () => {
      const server = await startServer();
      return { servers: [server], stop: () => server.remove() };
    },
  ],
  ...(etcdIsThere() ? ([['two replicas on etcd', () => startTwoOnEtcd()]] as const) : []),
];

describe.each(ENGINES)('watches on %s', (_engine, start) => {
  let servers: Servers;
  let stop: () => Promise<void>;
  let admin: Client;
  const opened = new Map<Row, Opened>();
  let others: OpenWatch[];

  beforeAll(async () => {
    ({ servers, stop } = await start());
    admin = client(servers[0] as ServerFixture);
    const rules = [{ verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] }];
    await must(admin, 'POST', `${RBAC}/clusterroles`, { metadata: { name: 'watch-all' }, rules });
    await writeAll(admin, 'before');
    others = await openAll(bearer(ADMIN_TOKEN));
    for (const [at, row] of [...ROWS, ...TTL_ROWS].entries()) {
      const id = `w${at}`;
      const headers = await row.begin(admin, id);
      const began = performance.now();
      opened.set(row, { id, began, watches: await openAll(headers) });
    }
  });
  afterAll(async () => {
    for (const { watches } of opened.values()) for (const one of watches) one.stop();
    for (const one of others) one.stop();
    await stop();
  });

  const openAll = (headers: Record<string, string>): Promise<OpenWatch[]> =>
    Promise.all(
      servers.flatMap(({ url }) =>
        WATCHES.map(async ([path, accept, transport]) => {
          const watch = await openWatch(url, path, { headers: { accept, ...headers }, transport });
          await eventually('the first events', () => Promise.resolve(watch.text().includes('watched')));
          return watch;
        }),
      ),
    );

  test.each(ROWS)('end when $name', async (row) => {
    const { id, watches } = opened.get(row) as Opened;
    await row.end(admin, id);
    await writeAll(admin, `after-${id}`);
    await allEnd(watches);
    expect(watches.filter((one) => one.text().includes(`after-${id}`))).toEqual([]);
    expect(others.map(({ endedAt }) => endedAt())).toEqual(others.map(() => undefined));
  });

  test.each(TTL_ROWS)('end with the time of a key: $name', async (row) => {
    const { watches, began } = opened.get(row) as Opened;
    await allEnd(watches);
    const tookMs = watches.map(({ endedAt }) => (endedAt() ?? Infinity) - began);
    // The creation time has a precision of a second.
    expect(Math.min(...tookMs)).toBeGreaterThan(TTL_S * 1000 - 1_500);
  });

  test('go on through what concerns others', async () => {
    const watches = await openAll(await keyOfUser(admin, 'kept'));
    await keyOfUser(admin, 'gone');
    await must(admin, 'DELETE', bindingOf('gone'));
    await must(admin, 'DELETE', keyPath('gone'));
    await must(admin, 'PATCH', `${API}/users/kept`, { spec: { displayName: 'Kept' } });
    await must(admin, 'PATCH', keyPath('kept'), { spec: { displayName: 'Kept' } });
    await writeAll(admin, 'after-others');
    await eventually('the next events', () =>
      Promise.resolve(watches.every((one) => one.text().includes('after-others'))),
    );
    expect(watches.map((one) => one.endedAt())).toEqual(watches.map(() => undefined));
    for (const one of watches) one.stop();
  });
});

/** Never rejects: the test reports the watches that have not ended. */
async function allEnd(watches: readonly OpenWatch[]): Promise<void> {
  const ended = (): boolean => watches.every(({ endedAt }) => endedAt() !== undefined);
  await eventually('the ends', () => Promise.resolve(ended())).catch(() => undefined);
  const open = watches.flatMap(({ endedAt }, at) =>
    endedAt() === undefined ? [WATCHES[at % WATCHES.length]] : [],
  );
  expect(open).toEqual([]);
}

/** Writes one object of each kind, with a marker that every representation shows. */
async function writeAll(admin: Client, mark: string): Promise<void> {
  const metadata = { name: 'watched', labels: { mark }, annotations: { mark } };
  const put = async (path: string, body: object): Promise<void> => {
    const created = await admin.send('POST', path, { metadata, ...body });
    if (created.status === 409) await must(admin, 'PATCH', `${path}/watched`, { metadata });
    const { name: _name, ...rest } = metadata;
    await must(admin, 'POST', path, { metadata: { ...rest, name: mark }, ...body });
  };
  await Promise.all([
    put('/api/v1/namespaces/default/secrets', {}),
    put('/api/v1/namespaces/default/configmaps', {}),
    put(`${API}/namespaces/default/sharedsecrets`, { spec: {} }),
    put(`${RBAC}/namespaces/default/roles`, { rules: [] }),
    put('/apis/coordination.k8s.io/v1/namespaces/default/leases', { spec: {} }),
  ]);
}
