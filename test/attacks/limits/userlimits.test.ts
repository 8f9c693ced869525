/** What a user without any granted right may create is limited, by user and by object, whoever counts at the same moment. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { USER_LIMITS } from '../../../pkg/management/limitedkinds.js';
import { accessKeys, KEYS, type AccessKeys } from '../../fixtures/clients/accesskeys.js';
import { client, type Client } from '../../fixtures/clients/client.js';
import { consoleClient } from '../../fixtures/console/consoleclient.js';
import { ENGINES, type EngineServer } from '../../fixtures/servers/engines.js';
import { startTwoOnEtcd, type ServersOnEtcd } from '../../fixtures/servers/serversonetcd.js';
import { etcdIsThere } from '../../fixtures/stores/etcd.js';

const MERGE = { 'content-type': 'application/merge-patch+json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const AT_A_TIME = 20;

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { type?: string };
  }[];
}

async function keysOf(by: Client): Promise<Listed['items']> {
  return (JSON.parse((await by.send('GET', KEYS)).text) as Listed).items;
}

const create = async (by: Client, name: string, spec: object = {}): Promise<number> =>
  (await by.send('POST', KEYS, { metadata: { name }, spec })).status;

async function inGroups<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += AT_A_TIME) {
    const some = Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, n) => work(from + n));
    results.push(...(await Promise.all(some)));
  }
  return results;
}

describe.each(ENGINES)('limits of users, %s', (_engine, start) => {
  let on: EngineServer;
  let admin: Client;
  let keys: AccessKeys;

  beforeAll(async () => {
    on = await start();
    admin = client(on.server);
    keys = accessKeys(on.server);
  });
  afterAll(() => on.remove());

  async function person(name: string): Promise<Client> {
    await keys.createUser(name);
    return client(on.server, (await keys.createKey(`first-${name}`, { user: name })).spec.key as string);
  }

  test('the table has each kind that a user without rights may create and that is stored', async () => {
    const mallory = await person('mallory');
    const stored: string[] = [];
    for (const { groupVersion, resources } of await discovered(mallory)) {
      const [group = '', version = ''] = groupVersion.includes('/')
        ? groupVersion.split('/')
        : ['', groupVersion];
      const root = group === '' ? `/api/${version}` : `/apis/${groupVersion}`;
      for (const { name, kind, namespaced, verbs } of resources) {
        if (name.includes('/') || !verbs.includes('create') || !verbs.includes('list')) continue;
        const path = `${root}/${namespaced ? 'namespaces/default/' : ''}${name}`;
        const body = { kind, apiVersion: groupVersion, metadata: { generateName: 'of-mallory-' }, spec: {} };
        const { status } = await mallory.send('POST', path, body);
        if (status !== 403) stored.push(kind);
      }
    }
    // Group rules have a limit for other reasons: each is judged at each login.
    const limited = USER_LIMITS.map(({ definition }) => definition.kind).filter(
      (kind) => kind !== 'GroupRule',
    );
    expect(stored.sort()).toEqual(limited.sort());
  });

  test('a user has 100 keys, however many are requested at the same moment', async () => {
    const eve = await person('eve');
    const answers = await inGroups(130, (n) => create(eve, `eve-${n}`));
    expect(answers.filter((status) => status === 201)).toHaveLength(99);
    expect(answers.filter((status) => status === 403)).toHaveLength(31);
    expect(await keysOf(eve)).toHaveLength(100);
    const refused = await eve.send('POST', KEYS, { metadata: { name: 'one-more' } });
    expect(refused.text).toContain('the limit is 100');
    expect((await eve.send('DELETE', `${KEYS}/eve-0`)).status % 100).toBe(0);
    expect(await create(eve, 'again')).toBe(201);
    // Administrators may create more.
    expect(await create(admin, 'given', { user: 'eve' })).toBe(201);
  });

  test('a user has 50 sessions among their keys, also by changing the type of a key', async () => {
    const sam = await person('sam');
    const answers = await inGroups(60, (n) => create(sam, `session-${n}`, { type: 'Login' }));
    expect(answers.filter((status) => status === 201)).toHaveLength(50);
    expect((await sam.send('PATCH', `${KEYS}/first-sam`, { spec: { type: 'Login' } }, MERGE)).status).toBe(
      403,
    );
    expect((await keysOf(sam)).filter(({ spec }) => spec.type === 'Login')).toHaveLength(50);
  });

  test('a key is at most 16 KiB, by whatever way it grows', async () => {
    const large = await person('large');
    const annotations = { note: 'x'.repeat(200_000) };
    const made = await large.send('POST', KEYS, { metadata: { name: 'noted', annotations } });
    expect([made.status, made.text]).toEqual([413, expect.stringContaining('limit is 16384')]);
    expect(await create(large, 'small')).toBe(201);
    const finalizers = Array.from({ length: 1000 }, (_, n) => `example.com/hold-${n}`);
    const groups = Array.from({ length: 900 }, (_, n) => `a-group-of-the-identity-provider-${n}`);
    const ways: [object, Record<string, string>][] = [
      [{ metadata: { annotations } }, MERGE],
      [{ metadata: { finalizers } }, MERGE],
      [{ metadata: { labels: labelsOf(500) } }, MERGE],
      [{ spec: { identity: { Groups: groups } } }, MERGE],
      [{ spec: { oidcProvider: { note: 'x'.repeat(20_000) } } }, MERGE],
      [{ spec: { description: 'x'.repeat(20_000) } }, MERGE],
      [{ spec: { identity: { ConnectorData: 'x'.repeat(20_000) } } }, MERGE],
      [{ spec: { scope: { rules: groups.map((verb) => ({ verbs: [verb] })) } } }, MERGE],
      [[{ op: 'add', path: '/metadata/annotations', value: annotations }], JSON_PATCH],
    ];
    for (const [patch, type] of ways) {
      const { status } = await large.send('PATCH', `${KEYS}/small`, patch, type);
      expect([JSON.stringify(patch).slice(0, 60), [413, 422].includes(status)]).toEqual([
        JSON.stringify(patch).slice(0, 60),
        true,
      ]);
    }
    const { text } = await large.send('GET', `${KEYS}/small`);
    expect(text.length).toBeLessThanOrEqual(16_500);
  });

  test('names that mark keys of the server cannot be taken', async () => {
    const nora = await person('nora');
    for (const by of [nora, admin])
      for (const name of ['workload-0123456789ab', 'login-ada-1', 'console-1']) {
        const { status, text } = await by.send('POST', KEYS, { metadata: { name } });
        expect([name, status, text]).toEqual([name, 422, expect.stringContaining('the server makes')]);
        const applied = await by.send(
          'PATCH',
          `${KEYS}/${name}?fieldManager=me`,
          { kind: 'OwnedAccessKey', apiVersion: 'management.svc.example/v1', metadata: { name } },
          { 'content-type': 'application/apply-patch+yaml' },
        );
        expect([name, [403, 404, 422].includes(applied.status)]).toEqual([name, true]);
      }
    const generated = await nora.send('POST', KEYS, { metadata: { generateName: 'console-' } });
    expect(generated.status).toBe(422);
  });
});

(etcdIsThere() ? describe : describe.skip)('limits of users, two servers on one etcd', () => {
  let two: ServersOnEtcd;

  beforeAll(async () => {
    two = await startTwoOnEtcd();
  });
  afterAll(() => two.stop());

  test('70 logins at the same moment leave 50 sessions', async () => {
    const keys = accessKeys(two.servers[0]);
    await keys.createUser('ada');
    const key = (await keys.createKey('of-ada', { user: 'ada' })).spec.key as string;
    const browsers = two.servers.map((server) => consoleClient(server));
    const answers = await Promise.all(
      Array.from({ length: 70 }, (_, n) =>
        browsers[n % 2]!.send('POST', '/console/session', { body: { accessKey: key } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(50);
    const sessions = (await keysOf(client(two.servers[0]))).filter(({ spec }) => spec.type === 'Login');
    expect(sessions).toHaveLength(50);
  });

  test('keys that are requested at both servers are at most 100', async () => {
    const keys = accessKeys(two.servers[0]);
    await keys.createUser('eve');
    const key = (await keys.createKey('of-eve', { user: 'eve' })).spec.key as string;
    const clients = two.servers.map((server) => client(server, key));
    const answers = await inGroups(130, (n) => create(clients[n % 2]!, `eve-${n}`));
    expect(answers.filter((status) => status === 201)).toHaveLength(99);
  });
});

const labelsOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`example.com/label-${n}`, 'x'.repeat(60)]));

interface Resources {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

async function discovered(by: Client): Promise<Resources[]> {
  const get = async <T>(path: string): Promise<T> => JSON.parse((await by.send('GET', path)).text) as T;
  const { groups } = await get<{ groups: { versions: { groupVersion: string }[] }[] }>('/apis');
  const paths = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  return Promise.all(['/api/v1', ...paths].map((path) => get<Resources>(path)));
}
