import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Namespace } from '../../../api/core/v1/namespace.js';
import type { KubeObject } from '../../../api/resource.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { createObject } from './create.js';
import { openRegistry } from '../registry.js';
import type { ResourceStore } from '../resourcestore.js';
import { updateObject } from './update.js';

const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const labelled = (colour: string) => (live: KubeObject) => {
  const next = structuredClone(live);
  next.metadata.labels = { colour };
  return next;
};

test('applies a change that is a no-op on a stale cached state to the newest state', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stale-'));
  const storage = await openEmbedded({ directory });
  const registry = await openRegistry(storage, [{ definition: Namespace }], () => everything);
  const [store] = registry.stores as [ResourceStore];
  const options = {
    requester: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    warn: () => undefined,
    fieldManager: 'test',
  };
  const metadata = { name: 'a', labels: { colour: 'red' } };
  const made = await createObject(store, '', { kind: 'Namespace', apiVersion: 'v1', metadata }, options);
  await store.cache.reach(made.revision, 5000);
  const old = store.cache.latest();
  const stale: ResourceStore = { ...store, cache: { ...store.cache, latest: () => old } };
  const request = { namespace: '', name: 'a', subresource: '', versionRequired: false };
  await updateObject(store, { ...request, change: labelled('blue') }, options);
  const answer = await updateObject(stale, { ...request, change: labelled('red') }, options);
  expect(JSON.parse(answer.bytes.toString())).toMatchObject({ metadata: { labels: { colour: 'red' } } });
  const { record } = await storage.get('registry/core/namespaces/a');
  expect(record?.revision).toBe(answer.revision);
  expect(record?.value.toString()).toContain('"colour":"red"');
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});
