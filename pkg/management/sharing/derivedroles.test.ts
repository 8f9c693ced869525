/** Roles that follow from an object, as the verbs see them: without the plugin that tells users what to change instead. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Role } from '../../../api/rbac.authorization.k8s.io/v1/role.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';
import { kind as roles } from '../../registry/rbac/role/kind.js';
import { kind as bindings } from '../../registry/rbac/rolebinding/kind.js';
import { createNamespace } from '../../registry/core/namespace/bootstrap.js';
import { kind as namespaces } from '../../registry/core/namespace/kind.js';
import { createObject } from '../../registry/generic/create.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { getObject, liveEntry } from '../../registry/generic/get.js';
import { updateObject } from '../../registry/generic/update.js';
import { openRegistry, type Registry, type StoredKind } from '../../registry/registry.js';
import { servedStore, type ResourceStore } from '../../registry/resourcestore.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { kind as secrets } from './sharedsecret/kind.js';

const EVERYTHING = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const OPTIONS = {
  requester: { name: 'u', uid: '', groups: [], extra: {} },
  dryRun: false,
  warn: () => undefined,
  fieldManager: 'test',
};

let directory: string;
let storage: Storage;
let registry: Registry;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'derived-'));
  storage = await openEmbedded({ directory });
});
afterEach(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

/** Returns the name of the role of a new secret. */
async function share(...kinds: StoredKind[]): Promise<string> {
  registry = await openRegistry(storage, [namespaces, secrets, ...kinds], () => EVERYTHING);
  await createNamespace(registry.stores, 'n');
  const access = [{ verbs: ['get'], subresources: [], users: ['ute'], teams: [] }];
  const object = {
    kind: 'SharedSecret',
    apiVersion: 'management.svc.example/v1',
    metadata: { name: 'db', namespace: 'n' },
    spec: { access },
  };
  const made = await createObject(servedStore(registry.stores, SharedSecret), 'n', object, OPTIONS);
  await registry.cache.resource('management.svc.example/sharedsecrets').reach(made.revision, 5000);
  const { metadata } = JSON.parse(made.bytes.toString()) as { metadata: { uid: string } };
  return `management:sharedsecrets:db:${metadata.uid}:0`;
}

test('are no objects of the store: writes find none, and reads wait for the cache', async () => {
  const name = await share(roles, bindings);
  const key = { namespace: 'n', name };
  const store: ResourceStore = servedStore(registry.stores, Role);
  expect((await getObject(store, key, '')).object()).toMatchObject({ kind: 'Role', metadata: key });
  expect(await liveEntry(store, key)).toMatchObject({ derived: true });
  const before = await storage.currentRevision();
  const change = { ...key, subresource: '', versionRequired: false };
  const label = (live: { metadata: object }) => ({
    ...structuredClone(store.cache.latest().get(`n/${name}`)!.object()),
    metadata: { ...live.metadata, labels: {} },
  });
  await expect(updateObject(store, { ...change, change: label }, OPTIONS)).rejects.toMatchObject({
    code: 404,
  });
  await expect(deleteObject(store, key, { dryRun: [] }, OPTIONS)).rejects.toMatchObject({ code: 404 });
  expect(await storage.currentRevision()).toBe(before);
  const late: ResourceStore = { ...store, cache: { ...store.cache, reach: () => Promise.resolve(false) } };
  const ahead = { ...late, newestRevision: () => Promise.resolve(before + 1) };
  await expect(liveEntry(ahead, key)).rejects.toMatchObject({ name: 'CacheUnavailable' });
  await expect(Promise.resolve(getObject(ahead, key, ''))).rejects.toMatchObject({
    name: 'CacheUnavailable',
  });
});

test('are not there where one of their kinds is not served', async () => {
  const name = await share(roles);
  const { cache } = servedStore(registry.stores, Role);
  expect([cache.latest().size, cache.isDerived(name)]).toEqual([0, false]);
});
