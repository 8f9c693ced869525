/**
 * The roles and bindings that follow from the access rules of objects: they are read and watched as if they were stored, and
 * are not.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ENGINES, startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { client, usualType, type Client } from '../../fixtures/clients/client.js';
import { streamOf, type StreamEvent } from '../../fixtures/clients/watchstream.js';
import type { Answer } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const API = '/apis/management.svc.example/v1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const SECRETS = `${API}/namespaces/default/sharedsecrets`;
const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const OURS = 'labelSelector=app.kubernetes.io%2Fmanaged-by%3Dmanagement-apiserver';

interface Obj {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly Obj[];
  readonly subjects?: readonly { readonly name: string }[];
  readonly code?: number;
  readonly message?: string;
}

const rules = (...users: string[]) => users.map((user, at) => ({ verbs: [`v${at}`], users: [user] }));

const ON: typeof ENGINES = [
  ...ENGINES,
  ['embedded, with two workers', (options) => startEmbedded({ ...options, flags: ['--workers=2'] })],
];

describe.each(ON)('on the engine %s', (_engine, start) => {
  let running: EngineServer;
  let admin: Client;
  const ask = (method: string, path: string, body?: object): Promise<Answer> =>
    admin.send(method, path, body, { 'content-type': usualType(method) });
  const send = async (method: string, path: string, body?: object): Promise<Obj> =>
    JSON.parse((await ask(method, path, body)).text) as Obj;
  const statusOf = async (method: string, path: string, body?: object): Promise<number> =>
    (await ask(method, path, body)).status;
  const make = (name: string, users: string[], members: object = {}, at = SECRETS): Promise<Obj> =>
    send('POST', at, { metadata: { name, ...members }, spec: { access: rules(...users) } });
  const share = (name: string, ...users: string[]): Promise<Obj> =>
    send('PATCH', `${SECRETS}/${name}`, { spec: { access: rules(...users) } });
  const roleOf = ({ metadata: { name, uid } }: Obj, at = 0): string =>
    `management:sharedsecrets:${name}:${uid}:${at}`;
  const namesAt = async (path: string): Promise<string[]> =>
    (await send('GET', path)).items?.map(({ metadata }) => metadata.name) ?? [];
  const lines = (events: readonly StreamEvent[]): string[] =>
    events.flatMap(({ type, name, version }) => (type === 'BOOKMARK' ? [] : [`${type} ${name} ${version}`]));

  beforeAll(async () => {
    running = await start({ controllers: '*' });
    admin = client(running.server);
  });
  afterAll(() => running?.remove());

  test('have the revision and the time of their object, and a uid that stays', async () => {
    const made = await make('read', ['ute']);
    const path = `${BINDINGS}/${roleOf(made)}`;
    const binding = await send('GET', path);
    const { resourceVersion, creationTimestamp } = made.metadata;
    expect(binding.metadata).toMatchObject({ resourceVersion, creationTimestamp });
    const role = await send('GET', `${ROLES}/${roleOf(made)}`);
    expect(role.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(new Set([made, binding, role].map(({ metadata }) => metadata.uid)).size).toBe(3);
    const changed = await share('read', 'kim');
    const after = await send('GET', path);
    expect(after.metadata).toEqual({
      ...binding.metadata,
      resourceVersion: changed.metadata.resourceVersion,
    });
    expect(after.subjects?.map(({ name }) => name)).toEqual(['kim']);
    await running.server.restart();
    expect(await send('GET', path)).toEqual(after);
    expect((await send('GET', `${BINDINGS}?fieldSelector=metadata.name%3D${roleOf(made)}`)).items).toEqual([
      expect.objectContaining({ metadata: after.metadata }),
    ]);
    expect(await namesAt(`${BINDINGS}?${OURS}`)).toContain(roleOf(made));
  });

  test('are watched with the commits of their object, from any revision', async () => {
    const made = await make('watched', ['ute', 'kim']);
    const grown = await share('watched', 'ute', 'kim', 'tom');
    const shrunk = await share('watched', 'ute');
    const other = await send('PATCH', `${SECRETS}/watched`, { metadata: { labels: { a: 'b' } } });
    expect(await statusOf('DELETE', `${SECRETS}/watched`)).toBe(200);
    const last = await make('afterwards', ['ute']);
    const versions = [grown, shrunk, other].map(({ metadata }) => metadata.resourceVersion);
    const [first, second, third] = [0, 1, 2].map((at) => roleOf(made, at));
    for (const path of [ROLES, BINDINGS]) {
      const from = (after: string, enough: number): Promise<StreamEvent[]> =>
        streamOf(running.server, path, { after, enough });
      const all = lines(await from(String(Number(made.metadata.resourceVersion) - 1), 10));
      const gone = all
        .find((line) => line.startsWith(`DELETED ${first}`))
        ?.split(' ')
        .at(-1);
      const rest = [
        ...[first, second].map((name) => `MODIFIED ${name} ${versions[0]}`),
        `ADDED ${third} ${versions[0]}`,
        ...[second, third].map((name) => `DELETED ${name} ${versions[1]}`),
        `MODIFIED ${first} ${versions[1]}`,
        `MODIFIED ${first} ${versions[2]}`,
        `DELETED ${first} ${gone}`,
        `ADDED ${roleOf(last)} ${last.metadata.resourceVersion}`,
      ];
      expect(all).toEqual(
        [...[first, second].map((name) => `ADDED ${name} ${made.metadata.resourceVersion}`), ...rest].slice(
          0,
          10,
        ),
      );
      // A client that has the first of several events of one revision gets them again, and the other ones.
      expect(lines(await from(made.metadata.resourceVersion, 3))).toEqual(all.slice(0, 3));
      expect(lines(await from(String(versions[2]), 2))).toEqual(rest.slice(-2));
    }
  });

  test('are listed in pages of one revision, and at an exact one', async () => {
    for (let at = 0; at < 5; at += 1) await make(`page-${at}`, ['ute', 'kim']);
    const path = `${ROLES}?${OURS}`;
    const whole = await send('GET', path);
    const first = await send('GET', `${path}&limit=3`);
    expect(first.items).toHaveLength(3);
    expect(await statusOf('DELETE', `${SECRETS}/page-4`)).toBe(200);
    await share('page-3');
    const found = [...(first.items ?? [])];
    for (let next = first.metadata.continue ?? ''; next !== '';) {
      const page = await send('GET', `${path}&limit=3&continue=${encodeURIComponent(next)}`);
      expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      found.push(...(page.items ?? []));
      next = page.metadata.continue ?? '';
    }
    expect(found).toEqual(whole.items);
    const exact = `${path}&resourceVersion=${whole.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    expect((await send('GET', exact)).items).toEqual(whole.items);
    expect((await send('GET', path)).items).toHaveLength((whole.items ?? []).length - 4);
  });

  test('cannot be written or deleted, and say what to change instead', async () => {
    const made = await make('kept', ['ute']);
    for (const at of [ROLES, BINDINGS]) {
      const path = `${at}/${roleOf(made)}`;
      const before = await send('GET', path);
      const answers = [
        await send('DELETE', path),
        await send('DELETE', `${path}?dryRun=All`),
        await send('DELETE', path, { propagationPolicy: 'Foreground' }),
        await send('DELETE', path, { preconditions: { uid: before.metadata.uid } }),
        await send('PUT', path, before),
        await send('PUT', path, { ...before, rules: [] }),
        await send('PATCH', path, { metadata: { finalizers: ['example.com/f'] } }),
        await send('PATCH', path, { metadata: { labels: { a: 'b' } } }),
        await send('POST', at, { ...before, metadata: { name: roleOf(made) } }),
      ];
      expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 403));
      expect(answers[0]?.message).toContain(
        'it follows from spec.access of sharedsecrets "kept": change the rules there',
      );
      expect(await statusOf('DELETE', `${at}/management:sharedsecrets:none:${made.metadata.uid}:0`)).toBe(
        404,
      );
      expect(await statusOf('POST', at, { metadata: { name: 'mine' }, roleRef: ROLE_REF })).toBe(201);
      expect(await statusOf('DELETE', at)).toBe(200);
      expect(await namesAt(at)).toContain(roleOf(made));
      expect(await namesAt(at)).not.toContain('mine');
      expect(await send('GET', path)).toEqual(before);
    }
  });

  test('may own other objects, which go with them', async () => {
    const made = await make('owner', ['ute', 'kim']);
    const own = async (at: number): Promise<string> => {
      const { kind, apiVersion, metadata } = await send('GET', `${ROLES}/${roleOf(made, at)}`);
      const owner = { kind, apiVersion, name: metadata.name, uid: metadata.uid };
      const name = `of-${at}`;
      const body = { metadata: { name, ownerReferences: [owner] } };
      expect(await statusOf('POST', CONFIGMAPS, body)).toBe(201);
      return name;
    };
    const [stays, goes] = [await own(0), await own(1)];
    await share('owner', 'ute');
    await eventually('the end', async () => (await statusOf('GET', `${CONFIGMAPS}/${goes}`)) === 404);
    expect(await statusOf('GET', `${CONFIGMAPS}/${stays}`)).toBe(200);
    expect(await statusOf('DELETE', `${SECRETS}/owner`)).toBe(200);
    await eventually('the end', async () => (await statusOf('GET', `${CONFIGMAPS}/${stays}`)) === 404);
  });

  test('go with their object, whatever the policy, and with its namespace', async () => {
    for (const policy of ['Background', 'Foreground', 'Orphan']) {
      const made = await make('owned', ['ute']);
      const options = { propagationPolicy: policy };
      expect(await statusOf('DELETE', `${SECRETS}/owned`, options)).toBe(200);
      await eventually(
        `the end by ${policy}`,
        async () => (await statusOf('GET', `${SECRETS}/owned`)) === 404,
      );
      expect(await namesAt(ROLES)).not.toContain(roleOf(made));
    }
    expect(await statusOf('POST', '/api/v1/namespaces', { metadata: { name: 'short' } })).toBe(201);
    const at = `${API}/namespaces/short/sharedsecrets`;
    await make('one', ['ute'], {}, at);
    await make('held', ['ute'], { finalizers: ['example.com/f'] }, at);
    expect(await namesAt(`${RBAC}/namespaces/short/roles`)).toHaveLength(2);
    expect(await statusOf('DELETE', '/api/v1/namespaces/short')).toBe(200);
    await eventually('the end of the first', async () => (await statusOf('GET', `${at}/one`)) === 404);
    expect(await namesAt(`${RBAC}/namespaces/short/rolebindings`)).toHaveLength(1);
    expect(await statusOf('PATCH', `${at}/held`, { metadata: { finalizers: null } })).toBe(200);
    await eventually('the end', async () => (await statusOf('GET', '/api/v1/namespaces/short')) === 404);
    expect(await namesAt(`${RBAC}/namespaces/short/roles`)).toEqual([]);
  });

  test('are not stored; those that an earlier release stored are not served, and removed', async () => {
    const made = await make('earlier', ['ute']);
    const before = [await send('GET', ROLES), await send('GET', BINDINGS)].map(({ items }) => items);
    await running.server.stop();
    const keys = ['roles', 'rolebindings'].map(
      (plural) => `registry/rbac.authorization.k8s.io/${plural}/default/${roleOf(made)}`,
    );
    const orphan = `${keys[0]}`.replace(made.metadata.uid, '01234567-89ab-4cde-8f01-23456789abcd');
    const store = await running.openStore();
    for (const key of keys) expect((await store.get(key)).record).toBeUndefined();
    await store.commit(
      [...keys, orphan].map((key) => ({ key, value: Buffer.from('{}\n0'), expect: 'absent' })),
    );
    await store.close();
    await running.server.restart();
    expect([await send('GET', ROLES), await send('GET', BINDINGS)].map(({ items }) => items)).toEqual(before);
    await eventually('their removal', async () => {
      await running.server.stop();
      const now = await running.openStore();
      const records = await Promise.all([...keys, orphan].map(async (key) => (await now.get(key)).record));
      await now.close();
      await running.server.restart();
      return records.every((record) => record === undefined);
    });
    expect([await send('GET', ROLES), await send('GET', BINDINGS)].map(({ items }) => items)).toEqual(before);
  });
});

const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
