/** Searches of the audit log on a running server with two workers: their results, and the required rights. */
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { accessKeys, type AccessKeys, API, bodyOf, KEYS } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { consoleClient } from '../../fixtures/console/consoleclient.js';
import { type Answer, type ServerFixture, startServer, VIEWER_TOKEN } from '../../fixtures/servers/server.js';

const SEARCHES = `${API}/auditsearches`;
const MAPS = '/api/v1/namespaces/default/configmaps';
const RBAC = 'rbac.authorization.k8s.io';

interface Status {
  readonly server: string;
  readonly log: string;
  readonly events: readonly {
    readonly auditID: string;
    readonly verb: string;
    readonly user: { readonly username?: string };
    readonly objectRef?: Readonly<Record<string, string>>;
    readonly responseStatus?: { readonly code: number };
    readonly responseObject?: unknown;
  }[];
  readonly continue?: string;
}

const body = (spec: object): object => ({ ...bodyOf('AuditSearch', '', spec), metadata: {} });
const statusOf = ({ text }: Answer): Status => (JSON.parse(text) as { status: Status }).status;

let server: ServerFixture;
let admin: Client;
let keys: AccessKeys;
const keyOf = async (name: string, spec: object): Promise<string> =>
  (await keys.createKey(name, spec)).spec.key as string;
const search = async (spec: object): Promise<Status> => {
  const answer = await admin.send('POST', SEARCHES, body(spec));
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return statusOf(answer);
};

beforeAll(async () => {
  server = await startServer({ flags: ['--workers=2'] });
  admin = client(server);
  keys = accessKeys(server);
  for (const name of ['ada', 'ruth']) await keys.createUser(name);
  const role = { kind: 'ClusterRole', apiVersion: `${RBAC}/v1`, metadata: { name: 'auditors' } };
  const rules = [{ apiGroups: ['management.svc.example'], resources: ['auditsearches'], verbs: ['create'] }];
  await admin.send('POST', `/apis/${RBAC}/v1/clusterroles`, { ...role, rules });
  await admin.send('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
    ...role,
    kind: 'ClusterRoleBinding',
    roleRef: { kind: 'ClusterRole', apiGroup: RBAC, name: 'auditors' },
    subjects: [{ kind: 'User', apiGroup: RBAC, name: 'ruth' }],
  });
});
afterAll(() => server.remove());

describe('a search of the audit log', () => {
  test('finds the requests of all workers, the newest first, at once', async () => {
    const names = Array.from({ length: 12 }, (_each, at) => `map-${at}`);
    for (const name of names) await admin.send('POST', MAPS, { metadata: { name } });
    const agents = await Promise.all(names.map((name) => admin.send('GET', `${MAPS}/${name}`)));
    expect(agents.map(({ status }) => status)).toEqual(names.map(() => 200));
    // Another worker flushes its records within a quarter of a second.
    let created: Status = await search({ resource: 'configmaps', verb: 'create' });
    while (created.events.length < names.length)
      created = await search({ resource: 'configmaps', verb: 'create' });
    expect(new Set(created.events.map(({ objectRef }) => objectRef?.name))).toEqual(new Set(names));
    expect(created).toMatchObject({ log: 'File', server: hostname() });
    const one = await search({
      resource: 'configmaps',
      name: 'map-3',
      verb: 'get',
      code: '2xx',
      user: 'admin',
    });
    expect(one.events).toMatchObject([{ verb: 'get', objectRef: { namespace: 'default', name: 'map-3' } }]);
    expect((await search({ auditID: one.events[0]?.auditID ?? '' })).events).toHaveLength(1);
  });

  test('finds what was recorded in a time', async () => {
    const now = new Date().toISOString();
    expect((await search({ after: now, resource: 'configmaps' })).events).toEqual([]);
    const all = await search({
      after: '2026-01-01T00:00:00Z',
      before: now,
      resource: 'configmaps',
      verb: 'create',
    });
    expect(all.events).toHaveLength(12);
  });

  test.each(['2026-01-01T9:00:00Z', '2026-01-01T09:00:00,5Z', '2026-01-01T09:00:00+24:00'])(
    'takes a time as Kubernetes does: %s',
    async (after) => {
      const { events } = await search({ after, resource: 'configmaps', verb: 'create' });
      expect(events).toHaveLength(12);
      expect((await search({ before: after })).events).toEqual([]);
    },
  );

  test('is continued where it ended', async () => {
    const first = await search({ resource: 'configmaps', verb: 'create', limit: 5 });
    const rest = await search({ resource: 'configmaps', verb: 'create', continue: first.continue ?? '' });
    expect([first.events.length, rest.events.length]).toEqual([5, 7]);
    expect(rest.continue).toBeUndefined();
  });

  test.each<[string, object, number, RegExp]>([
    ['a limit', { limit: 501 }, 422, /spec\.limit/],
    ['a limit', { limit: 'x' }, 422, /limit/],
    ['a code', { code: '4.*' }, 422, /spec\.code/],
    ['a time', { after: 'yesterday' }, 422, /after/],
    ['a filter', { user: 'x'.repeat(1025) }, 422, /spec\.user/],
    ['a token', { continue: '../../etc/passwd' }, 400, /spec\.continue is not a value of status\.continue/],
  ])('refuses %s that is none: %j', async (_name, spec, code, message) => {
    const answer = await admin.send('POST', SEARCHES, body(spec));
    expect([answer.status, answer.text]).toEqual([code, expect.stringMatching(message)]);
  });

  test.each(['GET', 'DELETE', 'PUT'])('is not stored as an object: %s', async (method) => {
    expect((await admin.send(method, SEARCHES)).status).toBe(405);
  });
});

describe('the audit log may be searched', () => {
  test('by an administrator, and by users who may create auditsearches', async () => {
    const ruth = client(server, await keyOf('ruths', { user: 'ruth' }));
    const found = statusOf(await ruth.send('POST', SEARCHES, body({ user: 'admin', limit: 1 })));
    expect(found.events).toMatchObject([{ user: { username: 'admin' } }]);
    await admin.send('DELETE', `/apis/${RBAC}/v1/clusterrolebindings/auditors`);
    expect((await ruth.send('POST', SEARCHES, body({}))).status).toBe(403);
  });

  test('by nobody else: not by users, with a key of a scope, nor through the console', async () => {
    const ada = await keyOf('adas', { user: 'ada' });
    const scoped = await keyOf('scoped', { scope: { projects: [{ project: 'web' }] } });
    const cli = await keyOf('cli', { scope: { allowPlatformCli: true } });
    for (const token of [VIEWER_TOKEN, ada, scoped, cli]) {
      const answer = await client(server, token).send('POST', SEARCHES, body({}));
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('auditsearches')]);
    }
    const browser = consoleClient(server);
    const page = browser.as(await browser.logIn(ada));
    expect((await page('POST', `/console/api${SEARCHES}`, { body: body({}) })).status).toBe(403);
    const scopedPage = browser.as(await browser.logIn(scoped));
    expect((await scopedPage('POST', `/console/api${SEARCHES}`, { body: body({}) })).status).toBe(403);
  });

  test('through the console by a session that may, with its token against forged requests', async () => {
    const browser = consoleClient(server);
    const session = await browser.logIn(await keyOf('admins', {}));
    const answer = await browser.as(session)('POST', `/console/api${SEARCHES}`, { body: body({ limit: 1 }) });
    expect([answer.status, statusOf(answer).events.length]).toEqual([201, 1]);
    const forged = { cookie: session.cookie, origin: 'https://evil.example' };
    const path = `/console/api${SEARCHES}`;
    expect((await browser.send('POST', path, { body: body({}), headers: forged })).status).toBe(401);
  });
});

test('answers are not recorded, and have no secrets', async () => {
  const policy = join(server.directory, 'policy.yaml');
  writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: RequestResponse\n');
  const other = await startServer({ flags: [`--audit-policy-file=${policy}`] });
  try {
    const { send } = client(other);
    const secret = { metadata: { name: 's' }, spec: { data: { password: 'aHVudGVyMg==' } } };
    await send('POST', `${API}/namespaces/default/sharedsecrets`, secret);
    const { key } = (
      JSON.parse((await send('POST', KEYS, bodyOf('OwnedAccessKey', 'k'))).text) as {
        spec: { key: string };
      }
    ).spec;
    await send('POST', SEARCHES, body({}));
    const answer = await send('POST', SEARCHES, body({}));
    for (const value of ['aHVudGVyMg', key]) expect(answer.text).not.toContain(value);
    expect(statusOf(answer).events.length).toBeGreaterThan(4);
    const searches = statusOf(await send('POST', SEARCHES, body({ resource: 'auditsearches' }))).events;
    expect(searches.length).toBeGreaterThan(2);
    expect(searches.filter((event) => 'responseObject' in event || 'requestObject' in event)).toEqual([]);
    const log = readFileSync(join(other.directory, 'data', 'audit', 'audit.log'), 'utf8');
    expect(log).not.toContain('AuditSearch');
  } finally {
    await other.remove();
  }
});

test.each([
  ['-', 'StandardOutput'],
  ['none', 'None'],
])('a server with --audit-log-path=%s says that it keeps no log', async (path, log) => {
  const other = await startServer({ flags: [`--audit-log-path=${path}`] });
  try {
    const answer = await client(other).send('POST', SEARCHES, body({}));
    expect([answer.status, statusOf(answer)]).toEqual([201, { server: hostname(), log, events: [] }]);
  } finally {
    await other.remove();
  }
});
