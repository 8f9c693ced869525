/** Credentials must not outlive the credential that created them: each way to create one is tried. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import type { Answer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const KEYS = `${API}/ownedaccesskeys`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const TOKENS = '/api/v1/namespaces/default/serviceaccounts/default/token';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;

interface Made {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: Record<string, unknown> & { readonly key: string; readonly ttl?: number };
}

const parsed = <T>({ text }: Answer): T => JSON.parse(text) as T;
const whole = (name: string, spec: object): object => ({
  apiVersion: 'management.svc.example/v1',
  kind: 'OwnedAccessKey',
  metadata: { name },
  spec,
});

let engine: EngineServer;
let admin: Client;
/** Uses a key of anna that expires in an hour. */
let short: Client;
let made = 0;

const as = (token: string): Client => client(engine.server, token);
const fresh = (): string => `key-${(made += 1)}`;
const make = async (by: Client, spec: object = {}, name = fresh()): Promise<Made> => {
  const answer = await by.send('POST', KEYS, whole(name, spec));
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed<Made>(answer);
};
const who = async (token: string): Promise<unknown> => {
  const { status, text } = await as(token).send('GET', `${API}/users/anna`);
  return status === 200 ? status : [status, (JSON.parse(text) as { message: string }).message];
};
const expectRefused = ({ status, text }: Answer, codes = [403, 422]): void => {
  expect([codes.includes(status), text]).toEqual([true, expect.stringMatching(/ends at|outlive/)]);
};

async function bind(role: string, user: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const body = {
    metadata: { name: `${role}-${user}` },
    subjects: [{ apiGroup, kind: 'User', name: user }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  };
  expect((await admin.send('POST', `${RBAC}/clusterrolebindings`, body)).status).toBe(201);
}

beforeAll(async () => {
  engine = await startEmbedded();
  admin = client(engine.server);
  for (const name of ['anna', 'bert'])
    await admin.send('POST', `${API}/users`, { metadata: { name }, spec: {} });
  await admin.send('POST', `${API}/teams`, { metadata: { name: 'ops' }, spec: { users: ['anna'] } });
  const rules = [
    { apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['serviceaccounts', 'serviceaccounts/token'], verbs: ['*'] },
    {
      apiGroups: ['management.svc.example'],
      resources: ['ownedaccesskeys', 'users', 'directclusterendpointtokens'],
      verbs: ['*'],
    },
  ];
  await admin.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'maker' }, rules });
  const subjects = ['anna', 'bert'].map((name) => ({
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'User',
    name,
  }));
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maker' };
  await admin.send('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'maker' },
    subjects,
    roleRef,
  });
  await admin.send('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  short = as((await make(admin, { user: 'anna', ttl: HOUR })).spec.key);
});

afterAll(() => engine.remove());

test("a key without a time to live gets what is left of its maker's, and the answer says so", async () => {
  const answer = await short.send('POST', KEYS, whole(fresh(), {}));
  expect(answer.headers.warning).toContain('spec.ttl: set to');
  const { ttl = Infinity } = parsed<Made>(answer).spec;
  expect(ttl).toBeGreaterThan(HOUR - 120);
  expect(ttl).toBeLessThanOrEqual(HOUR);
});

test.each([
  ['a longer life', { ttl: 2 * HOUR }],
  ['no end', { ttl: 0 }],
  ['a hundred years', { ttl: 3_153_600_000 }],
  ['a life after the last activity', { ttl: YEAR, ttlAfterLastActivity: true }],
  ['a type that logs in', { ttl: YEAR, type: 'Login' }],
  ['another type', { ttl: YEAR, type: 'Other' }],
  ['a type that does not log in yet', { ttl: YEAR, type: 'Reset' }],
  ['one that is disabled yet', { ttl: YEAR, disabled: true }],
  ['a team', { ttl: YEAR, team: 'ops' }],
  ['another user', { ttl: YEAR, user: 'bert' }],
  ['a subject', { ttl: YEAR, subject: 'somebody' }],
  ['a given key', { ttl: YEAR, key: 'x'.repeat(40) }],
  ['a scope', { ttl: YEAR, scope: { projects: [{ project: '*' }] } }],
])('refuses to make a key for %s', async (_what, spec) => {
  expectRefused(await short.send('POST', KEYS, whole(fresh(), spec)));
  const name = fresh();
  const path = `${KEYS}/${name}?fieldManager=me`;
  expectRefused(await short.send('PATCH', path, whole(name, spec), APPLY));
  const acting = { 'impersonate-user': 'bert', 'impersonate-group': 'management:authenticated' };
  expectRefused(await short.send('POST', KEYS, whole(fresh(), spec), acting));
});

test.each([
  ['merge patch of ttl', MERGE, { spec: { ttl: YEAR } }],
  ['merge patch to no ttl', MERGE, { spec: { ttl: 0 } }],
  ['JSON patch', JSON_PATCH, [{ op: 'replace', path: '/spec/ttl', value: YEAR }]],
  ['strategic merge patch', STRATEGIC, { spec: { ttl: YEAR } }],
  ['sliding life', MERGE, { spec: { ttl: YEAR, ttlAfterLastActivity: true } }],
  ['apply', APPLY, { apiVersion: 'management.svc.example/v1', kind: 'OwnedAccessKey', spec: { ttl: YEAR } }],
])('refuses to extend a key by %s', async (_how, headers, body) => {
  const { metadata } = await make(short, { ttl: 600 });
  const answer = await short.send(
    'PATCH',
    `${KEYS}/${metadata.name}${headers === APPLY ? '?fieldManager=me&force=true' : ''}`,
    body,
    headers,
  );
  if (headers === STRATEGIC && answer.status === 415) return;
  expectRefused(answer);
});

test("a time to live that is removed becomes what is left of its maker's", async () => {
  for (const [headers, body] of [
    [MERGE, { spec: { ttl: null } }],
    [JSON_PATCH, [{ op: 'remove', path: '/spec/ttl' }]],
  ] as const) {
    const { metadata } = await make(short, { ttl: 600 });
    const answer = await short.send('PATCH', `${KEYS}/${metadata.name}`, body, headers);
    expect(answer.status).toBe(200);
    expect(parsed<Made>(answer).spec.ttl).toBeLessThanOrEqual(HOUR);
  }
});

test('a key without end is neither rotated, enabled, widened nor given away with one that ends', async () => {
  const whileLong = { user: 'anna', scope: { projects: [{ project: 'p' }] } };
  const { metadata } = await make(admin, whileLong);
  const path = `${KEYS}/${metadata.name}`;
  for (const spec of [
    { key: `mk_${'y'.repeat(40)}` },
    { scope: null },
    { groups: ['more'] },
    { user: 'bert' },
  ])
    expectRefused(await short.send('PATCH', path, { spec }, MERGE));
  await admin.send('PATCH', path, { spec: { disabled: true } }, MERGE);
  expectRefused(await short.send('PATCH', path, { spec: { disabled: false } }, MERGE));
  await admin.send('PATCH', path, { spec: { type: 'Reset' } }, MERGE);
  expectRefused(await short.send('PATCH', path, { spec: { type: 'User', disabled: false } }, MERGE));
  const described = await short.send('PATCH', path, { spec: { displayName: 'CI', disabled: true } }, MERGE);
  expect(described.status).toBe(200);
});

test('a key made with a key made with a key ends with each of them', async () => {
  const first = await make(admin, { user: 'anna', ttl: HOUR });
  const second = await make(as(first.spec.key), { ttl: 1000 });
  const third = await make(as(second.spec.key));
  expect(third.spec.ttl).toBeLessThanOrEqual(1000);
  expect(await who(third.spec.key)).toBe(200);
  const path = `${KEYS}/${second.metadata.name}`;
  await admin.send('PATCH', path, { spec: { disabled: true } }, MERGE);
  expect(await who(third.spec.key)).toEqual([401, 'access key expired']);
  await admin.send('PATCH', path, { spec: { disabled: false } }, MERGE);
  expect(await who(third.spec.key)).toBe(200);
  await admin.send('DELETE', `${KEYS}/${first.metadata.name}`);
  expect(await who(second.spec.key)).toEqual([401, 'access key expired']);
  expect(await who(third.spec.key)).toEqual([401, 'access key expired']);
  // Another key with the same name is a different key.
  await make(admin, { user: 'anna' }, first.metadata.name);
  expect(await who(third.spec.key)).toEqual([401, 'access key expired']);
});

test('a key ends when the one that it was made with is rotated, or its life is cut', async () => {
  const forever = await make(admin, { user: 'anna' });
  const [one, two] = [await make(as(forever.spec.key)), await make(as(forever.spec.key), { user: 'bert' })];
  expect(one.spec.ttl).toBeUndefined();
  const path = `${KEYS}/${forever.metadata.name}`;
  await admin.send('PATCH', path, { spec: { key: `mk_${'z'.repeat(40)}` } }, MERGE);
  for (const { spec } of [one, two]) expect(((await who(spec.key)) as unknown[])[0]).toBe(401);
  const sliding = await make(admin, { user: 'anna', ttl: HOUR, ttlAfterLastActivity: true });
  const child = await make(as(sliding.spec.key));
  expect(child.spec.ttl).toBeLessThanOrEqual(HOUR);
  await admin.send(
    'PATCH',
    `${KEYS}/${sliding.metadata.name}`,
    { spec: { ttl: 1, ttlAfterLastActivity: false } },
    MERGE,
  );
  await eventually('its end', async () => String(await who(child.spec.key)).startsWith('401'));
  expect(await who(child.spec.key)).toEqual([401, 'access key expired']);
});

test('a key does not extend itself', async () => {
  const own = await make(admin, { user: 'anna', ttl: HOUR });
  const path = `${KEYS}/${own.metadata.name}`;
  const by = as(own.spec.key);
  expectRefused(await by.send('PATCH', path, { spec: { ttl: 2 * HOUR } }, MERGE));
  expectRefused(await by.send('PATCH', path, { spec: { ttl: HOUR, ttlAfterLastActivity: true } }, MERGE));
  expect((await by.send('PATCH', path, { spec: { ttl: 1800 } }, MERGE)).status).toBe(200);
  const rotated = await by.send('PATCH', path, { spec: { key: `mk_${'w'.repeat(40)}` } }, MERGE);
  expect(rotated.status).toBe(200);
});

test('tokens that are made with a key end with it', async () => {
  const token = await short.send('POST', TOKENS, { spec: { expirationSeconds: 4 * HOUR } });
  expect(token.status).toBe(201);
  expect(token.headers.warning).toContain('shortened to');
  const { spec, status } = parsed<{
    spec: { expirationSeconds: number };
    status: { token: string; expirationTimestamp: string };
  }>(token);
  expect(spec.expirationSeconds).toBeLessThanOrEqual(HOUR);
  expect(Date.parse(status.expirationTimestamp)).toBeLessThanOrEqual(Date.now() + HOUR * 1000);
  const direct = `${API}/directclusterendpointtokens`;
  expectRefused(await short.send('POST', direct, { spec: { ttl: 2 * HOUR } }), [422]);
  const given = parsed<{ spec: { ttl: number } }>(await short.send('POST', direct, {}));
  expect(given.spec.ttl).toBeLessThanOrEqual(HOUR);
  const soon = await make(admin, { user: 'anna', ttl: 30 });
  expectRefused(await as(soon.spec.key).send('POST', direct, {}), [403]);
});

const DIRECT = `${API}/directclusterendpointtokens`;
const AUDIENCE = 'management-direct-endpoint';
const accountIs = async (token: string): Promise<number> =>
  (await as(token).send('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status;
const isVouchedFor = async (token: string, audiences: string[] = []): Promise<boolean> => {
  const review = { spec: { token, audiences } };
  const answer = await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
  return parsed<{ status: { authenticated?: boolean } }>(answer).status.authenticated === true;
};
const tokenOf = async (by: Client, path: string, body: object = {}): Promise<string> => {
  const answer = await by.send('POST', path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  return parsed<{ status: { token: string } }>(answer).status.token;
};
const keyPath = ({ metadata }: Made): string => `${KEYS}/${metadata.name}`;
const patchKey = (spec: object) => (key: Made) => admin.send('PATCH', keyPath(key), { spec }, MERGE);

describe('tokens end at once where the key that they were made with', () => {
  const FILLED = { ttl: 2 * HOUR, user: 'carl' };
  beforeAll(async () => {
    await bind('maker', 'system:serviceaccount:default:default');
  });

  test.each<[string, (key: Made) => Promise<unknown>]>([
    ['is deleted', (key) => admin.send('DELETE', keyPath(key))],
    ['is disabled', patchKey({ disabled: true })],
    ['is rotated', patchKey({ key: `mk_${'n'.repeat(40)}` })],
    ['becomes one that does not log in', patchKey({ type: 'Reset' })],
    ['loses its user', () => admin.send('PATCH', `${API}/users/carl`, { spec: { disabled: true } }, MERGE)],
    [
      'is deleted and made anew with the same name and key',
      async (key) => {
        await admin.send('DELETE', keyPath(key));
        await make(admin, { ...FILLED, key: key.spec.key }, key.metadata.name);
      },
    ],
  ])('%s', async (_what, end) => {
    await admin.send('DELETE', `${API}/users/carl`);
    await admin.send('POST', `${API}/users`, { metadata: { name: 'carl' }, spec: {} });
    await admin.send('DELETE', `${RBAC}/clusterrolebindings/maker-carl`);
    await bind('maker', 'carl');
    const first = await make(admin, FILLED);
    const other = await make(admin, { user: 'anna', ttl: 2 * HOUR });
    const account = await tokenOf(as(first.spec.key), TOKENS);
    const again = await tokenOf(as(account), TOKENS);
    const direct = await tokenOf(as(first.spec.key), DIRECT);
    const key = await make(as(account), { subject: 'somebody', ttl: 600 });
    const others = await tokenOf(as(other.spec.key), TOKENS);
    await patchKey({ displayName: 'told' })(first);
    expect(await Promise.all([account, again, others].map(accountIs))).toEqual([200, 200, 200]);
    expect(await Promise.all([isVouchedFor(account), isVouchedFor(direct, [AUDIENCE])])).toEqual([
      true,
      true,
    ]);
    await end(first);
    expect(await Promise.all([account, again, others].map(accountIs))).toEqual([401, 401, 200]);
    expect(await isVouchedFor(account)).toBe(false);
    expect(await isVouchedFor(direct, [AUDIENCE])).toBe(false);
    expect((await as(key.spec.key).send('GET', '/version')).status).toBe(401);
  });
});

test('a direct token is for the cluster that it names, and for no other', async () => {
  const direct = `${API}/directclusterendpointtokens`;
  const audience = 'management-direct-endpoint';
  for (const name of ['east', 'west', 'scoped'])
    expect((await admin.send('POST', `${API}/clusters`, { metadata: { name } })).status).toBe(201);
  const rules = [
    {
      apiGroups: ['management.svc.example'],
      resources: ['clusters'],
      verbs: ['use'],
      resourceNames: ['east'],
    },
  ];
  await admin.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'east' }, rules });
  await bind('east', 'anna');
  const asked = async (spec: object): Promise<Answer> => short.send('POST', direct, { spec });
  const tokenFor = async (spec: object): Promise<string> =>
    parsed<{ status: { token: string } }>(await asked(spec)).status.token;
  const takenFor = async (token: string, wanted: string): Promise<boolean> => {
    const review = { spec: { token, audiences: [wanted] } };
    const answer = await admin.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    return parsed<{ status: { authenticated?: boolean } }>(answer).status.authenticated === true;
  };
  const token = await tokenFor({ cluster: 'east' });
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(claims).toMatchObject({ aud: [`${audience}/east`] });
  const wanted = ['/east', '', '/west', '/scoped', '/east/scoped', '/east/', '/EAST'];
  const took = await Promise.all(wanted.map((end) => takenFor(token, audience + end)));
  expect(took).toEqual([true, false, false, false, false, false, false]);
  const narrow = await tokenFor({ cluster: 'east', scope: { projects: [{ project: 'p' }] } });
  const narrowly = await Promise.all(wanted.map((end) => takenFor(narrow, audience + end)));
  expect(narrowly).toEqual([false, false, false, false, true, false, false]);
  // Users who may not get a cluster do not learn whether it exists.
  const [there, none] = [await asked({ cluster: 'west' }), await asked({ cluster: 'north' })];
  expect([there.status, none.status]).toEqual([403, 403]);
  expect(there.text.replaceAll('west', 'X')).toBe(none.text.replaceAll('north', 'X'));
  for (const cluster of ['scoped', 'east/scoped', '../east', 'a b', 'x'.repeat(300)])
    expect((await asked({ cluster })).status).toBe(422);
  expect((await admin.send('POST', direct, { spec: { cluster: 'north' } })).status).not.toBe(201);
});

test('a dry run makes no token for clusters', async () => {
  const answer = await short.send('POST', `${API}/directclusterendpointtokens?dryRun=All`, { spec: {} });
  expect([answer.status, parsed<{ status: object }>(answer).status]).toEqual([201, {}]);
});

test('a token of a service account lives a day at most', async () => {
  const answer = await admin.send('POST', TOKENS, { spec: { expirationSeconds: 2 ** 32 } });
  expect(answer.headers.warning).toContain('4294967296 seconds shortened to 86400 seconds');
  expect(parsed<{ spec: object }>(answer).spec).toMatchObject({ expirationSeconds: 86_400 });
  expect((await admin.send('POST', TOKENS, { spec: { expirationSeconds: 2 ** 32 + 1 } })).status).toBe(422);
  const day = await admin.send('POST', TOKENS, { spec: { expirationSeconds: 86_400 } });
  expect(day.headers.warning).toBeUndefined();
});

test('a user with the right to unlimited keys makes them with a key that expires', async () => {
  const rules = [
    { apiGroups: ['management.svc.example'], resources: ['ownedaccesskeys/unlimited'], verbs: ['create'] },
  ];
  await admin.send('POST', `${RBAC}/clusterroles`, { metadata: { name: 'unlimited' }, rules });
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bert' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'unlimited' };
  await admin.send('POST', `${RBAC}/clusterrolebindings`, {
    metadata: { name: 'unlimited' },
    subjects,
    roleRef,
  });
  const berts = await make(admin, { user: 'bert', ttl: HOUR });
  const long = await make(as(berts.spec.key), { ttl: YEAR });
  expect(long.spec.ttl).toBe(YEAR);
  expect((await make(as(berts.spec.key))).spec.ttl).toBeUndefined();
  await admin.send('DELETE', `${KEYS}/${berts.metadata.name}`);
  expect(await who(long.spec.key)).toBe(200);
});
