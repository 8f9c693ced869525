import { clusterScoped } from '../../../api/resource.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { createLastUsed } from './authentication/lastused.js';
import { createObject } from '../../registry/generic/create.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { kind } from './kind.js';
import { ORIGIN_RECORDS } from './originrecord.js';
import { USE_RECORDS } from './userecord.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { activityRecorder, forgetDeletedKeys, type ActivityParts } from './lastactivity.js';
import { removeOrphanedKeyRecords } from './orphanedkeyrecords.js';

const OPTIONS = {
  requester: { name: 'test', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};
/** Long after the keys were made. */
const BASE = Date.parse('2100-01-01T00:00:00Z');
const SECOND = 1_000;

let directory: string;
let storage: Storage;
let registry: Registry;
let store: ResourceStore;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lastactivity-'));
  storage = await openEmbedded({ directory });
  const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
  registry = await openRegistry(storage, [kind], () => everything);
  store = registry.stores[0] as ResourceStore;
});

afterAll(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

/** A server of the store. */
function server(): ActivityParts & { readonly tell: () => Promise<void> } {
  const uses = registry.cache.resource(USE_RECORDS.resource);
  const origins = registry.cache.resource(ORIGIN_RECORDS.resource);
  const parts = { store, uses, origins, lastUsed: createLastUsed(uses) };
  return { ...parts, tell: activityRecorder(parts) };
}

async function create(name: string, spec: object): Promise<void> {
  const apiVersion = 'management.svc.example/v1';
  await createObject(store, '', { kind: 'OwnedAccessKey', apiVersion, metadata: { name }, spec }, OPTIONS);
}

const told = (name: string): string | undefined =>
  (store.cache.latest().get(name)?.object() as OwnedAccessKey).status?.lastActivity;

test('the use of a key is known to all servers, recorded each minute, and shown each hour', async () => {
  await create('shared', {});
  const [one, other] = [server(), server()];
  one.lastUsed.used('shared', BASE);
  expect([one.lastUsed.of('shared'), other.lastUsed.of('shared')]).toEqual([BASE, 0]);
  await one.tell();
  expect(other.lastUsed.of('shared')).toBe(BASE);
  expect(told('shared')).toBe('2100-01-01T00:00:00Z');
  const revision = await storage.currentRevision();
  one.lastUsed.used('shared', BASE + 59 * SECOND);
  await one.tell();
  expect(await storage.currentRevision()).toBe(revision);
  one.lastUsed.used('shared', BASE + 60 * SECOND);
  await one.tell();
  expect([other.lastUsed.of('shared'), told('shared')]).toEqual([BASE + 60 * SECOND, '2100-01-01T00:00:00Z']);
  one.lastUsed.used('shared', BASE + 3_600 * SECOND);
  await one.tell();
  expect(told('shared')).toBe('2100-01-01T01:00:00Z');
});

test('the use of a key that expires after its last use is shown after a tenth of its time', async () => {
  await create('short', { ttl: 100, ttlAfterLastActivity: true });
  const { lastUsed, tell } = server();
  for (const [seconds, expected] of [
    [0, '2100-01-01T00:00:00Z'],
    [9, '2100-01-01T00:00:00Z'],
    [10, '2100-01-01T00:00:10Z'],
  ] as const) {
    lastUsed.used('short', BASE + seconds * SECOND);
    await tell();
    expect(told('short')).toBe(expected);
  }
});

test('deletes the last-activity record of a deleted key, and forgets its last use', async () => {
  await create('gone', {});
  const parts = server();
  parts.lastUsed.used('gone', BASE);
  await parts.tell();
  parts.lastUsed.used('gone', BASE + 3_600 * SECOND);
  await removeOrphanedKeyRecords(parts);
  expect(parts.lastUsed.recorded('gone')).toBe(BASE);
  await deleteObject(store, clusterScoped('gone'), { dryRun: [] }, OPTIONS);
  await parts.tell();
  await removeOrphanedKeyRecords(parts);
  await store.cache.reach(await storage.currentRevision(), 5_000);
  expect(parts.lastUsed.recorded('gone')).toBe(0);
  await create('kept', {});
  parts.lastUsed.used('kept', BASE);
  await forgetDeletedKeys(parts);
  expect([...parts.lastUsed.names()]).toEqual(['kept']);
});
