/** The last use of access keys is recorded, and expired keys are deleted. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { client, type Client } from '../../fixtures/clients/client.js';
import { startServer, type Answer, type ServerFixture } from '../../fixtures/servers/server.js';
import { eventually } from '../../fixtures/wait.js';

const KEYS = '/apis/management.svc.example/v1/ownedaccesskeys';

interface Key {
  metadata: { name: string; resourceVersion: string };
  spec: Record<string, unknown>;
  status?: { lastActivity?: string };
}

let server: ServerFixture;
let admin: Client;

beforeAll(async () => {
  server = await startServer({ flags: ['--access-key-retention=1s'] });
  admin = client(server);
});
afterAll(() => server.remove());

const parsed = (answer: Answer): Key => JSON.parse(answer.text) as Key;
const read = async (name: string): Promise<Key> => parsed(await admin.send('GET', `${KEYS}/${name}`));
const keyOf = (name: string, spec: object): object => ({
  apiVersion: 'management.svc.example/v1',
  kind: 'OwnedAccessKey',
  metadata: { name },
  spec,
});
const create = (name: string, spec: object): Promise<Answer> => admin.send('POST', KEYS, keyOf(name, spec));

describe('a key that was used', () => {
  let before: Key;
  beforeAll(async () => {
    before = parsed(await create('used', { displayName: 'one' }));
    const holder = client(server, before.spec.key as string);
    delete before.spec.key;
    expect((await holder.send('GET', '/version')).status).toBe(200);
    await eventually('the last use', async () => (await read('used')).status?.lastActivity !== undefined);
  });

  test('can be changed by a client that read it before its use was recorded', async () => {
    const { resourceVersion } = (await read('used')).metadata;
    expect(resourceVersion).not.toBe(before.metadata.resourceVersion);
    const next = { ...before, spec: { ...before.spec, displayName: 'two' } };
    const put = await admin.send('PUT', `${KEYS}/used`, next);
    expect([put.status, parsed(put).spec.displayName]).toEqual([200, 'two']);
    expect(parsed(put).status?.lastActivity).toBeDefined();
  });

  test('cannot be changed by a client that read it before somebody else changed it', async () => {
    const next = { ...before, spec: { ...before.spec, displayName: 'three' } };
    expect((await admin.send('PUT', `${KEYS}/used`, next)).status).toBe(409);
    const type = { 'content-type': 'application/merge-patch+json' };
    const patch = { metadata: { resourceVersion: before.metadata.resourceVersion }, spec: { ttl: 1 } };
    expect((await admin.send('PATCH', `${KEYS}/used`, patch, type)).status).toBe(409);
    expect((await read('used')).spec.displayName).toBe('two');
  });
});

test('an expired key is deleted, and no other', async () => {
  for (const [name, spec] of [
    ['ends', { ttl: 1 }],
    ['stays', {}],
    ['later', { ttl: 1000 }],
    ['rests', { ttl: 1, ttlAfterLastActivity: true }],
  ] as const)
    expect((await create(name, spec)).status).toBe(201);
  await eventually('the end of a key', async () => (await admin.send('GET', `${KEYS}/ends`)).status === 404);
  for (const name of ['stays', 'later', 'rests'])
    expect((await admin.send('GET', `${KEYS}/${name}`)).status).toBe(200);
});

describe('a write of a scope gets a warning', () => {
  test.each([
    ['of one without parts', {}, 'spec.scope: a scope without parts allows nothing'],
    [
      'of a rule for clusters',
      { rules: [{ requestTargets: ['Management', 'Cluster'] }] },
      'spec.scope.rules[0]: no requests are passed through to clusters, so what is said of them allows nothing',
    ],
    [
      'of a rule for one cluster',
      { projects: [{ project: '*' }], rules: [{}, { cluster: 'east' }] },
      'spec.scope.rules[1]: no requests are passed through to clusters, so what is said of them allows nothing',
    ],
  ])('%s', async (_what, scope, text) => {
    const created = await admin.send('POST', `${KEYS}?dryRun=All`, keyOf('warned', { scope }));
    expect([created.status, created.headers.warning]).toEqual([201, `299 - "${text}"`]);
  });

  test('once, and not for scopes of others', async () => {
    const fine = await create('fine', { scope: { allowPlatformCli: true } });
    expect([fine.status, fine.headers.warning]).toEqual([201, undefined]);
    const patch = async (spec: object): Promise<unknown> => {
      const type = { 'content-type': 'application/merge-patch+json' };
      return (await admin.send('PATCH', `${KEYS}/fine`, { spec }, type)).headers.warning;
    };
    expect(await patch({ scope: { allowPlatformCli: null } })).toContain('allows nothing');
    expect(await patch({ displayName: 'x' })).toBeUndefined();
  });
});
