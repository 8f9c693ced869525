import { clusterScoped } from '../../../api/resource.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Namespace } from '../../../api/core/v1/namespace.js';
import { openDamaged } from '../../../test/fixtures/stores/damagedstore.js';
import { openRegistry } from '../registry.js';
import { getObject } from './get.js';
import type { ResourceStore } from '../resourcestore.js';

const KEY = 'registry/core/namespaces/a';
const everything = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const record = (colour: string): Buffer =>
  Buffer.from(
    JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'a', labels: { colour } } }),
  );

test('reads a rewritten object while the cache still has the unreadable record', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'unreadableget-'));
  const damaged = { key: KEY, value: record('lost'), expect: 'any' } as const;
  const storage = await openDamaged(directory, [damaged], 'lost');
  const registry = await openRegistry(storage, [{ definition: Namespace }], () => everything);
  const [store] = registry.stores as [ResourceStore];
  const old = store.cache.latest();
  const known = store.cache.undecryptable();
  expect([...known.keys()]).toEqual(['a']);
  const cache = {
    ...store.cache,
    revision: () => old.revision,
    latest: () => old,
    undecryptable: () => known,
    reach: () => Promise.resolve(false),
  };
  const read = async (): Promise<unknown> => getObject({ ...store, cache }, clusterScoped('a'), '');
  await expect(read()).rejects.toThrow('cannot be read');
  const { revisions } = await storage.commit([{ key: KEY, value: record('blue'), expect: 'any' }]);
  expect(await read()).toMatchObject({ revision: revisions[0] });
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});
