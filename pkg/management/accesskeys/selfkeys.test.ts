import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { StoredEntry } from '../../cache/store/entry.js';
import { createObject } from '../../registry/generic/create.js';
import { cacheOf } from '../../registry/keys.js';
import { loopbackOptions } from '../../registry/loopback.js';
import { ownedAccessKeyStrategy } from './strategy.js';
import { openRegistry, type Registry } from '../../registry/registry.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import type { Storage } from '../../storage/interface.js';
import { selfKeysAuthorizer } from './selfkeys.js';

const NO_ADMISSION = { mutate: () => Promise.resolve(), validate: () => Promise.resolve([]) };
const KEYS = 20;

let directory: string;
let storage: Storage;
let registry: Registry;

const create = async (name: string, user: string): Promise<void> => {
  const [store] = registry.stores;
  const key = { kind: 'OwnedAccessKey', apiVersion: 'management.svc.example/v1', metadata: { name } };
  const { revision } = await createObject(store!, '', { ...key, spec: { user } }, loopbackOptions('test'));
  await registry.cache.resource('management.svc.example/ownedaccesskeys').reach(revision, 5_000);
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'selfkeys-'));
  storage = await openEmbedded({ directory });
  const kinds = [{ definition: OwnedAccessKey, strategy: ownedAccessKeyStrategy }];
  registry = await openRegistry(storage, kinds, () => NO_ADMISSION);
  await registry.cache.ready;
  for (let n = 0; n < KEYS; n += 1) await create(`key-${n}`, n % 2 === 0 ? 'anna' : 'ben');
});
afterAll(async () => {
  await registry.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

test('parses a key once when it changes, and none to answer who may see it', async () => {
  const anna = { name: 'anna', uid: '', groups: ['management:authenticated'], extra: {} };
  const kind = {
    group: 'management.svc.example',
    resource: 'ownedaccesskeys',
    subresource: '',
    namespace: '',
  };
  const authorizer = selfKeysAuthorizer(cacheOf(registry.cache, OwnedAccessKey));
  const seen = (): unknown => authorizer.visible(anna, { ...kind, verb: 'get' });
  const parses = jest.spyOn(StoredEntry.prototype, 'parse');
  expect(seen()).toEqual({
    objects: 'names',
    names: new Set(Array.from({ length: KEYS / 2 }, (_, n) => `key-${2 * n}`)),
  });
  expect(parses).toHaveBeenCalledTimes(KEYS);
  parses.mockClear();
  for (let n = 0; n < 100; n += 1) {
    seen();
    const of = { ...kind, kind: 'resource', version: 'v1', verb: 'get', name: `key-${n % KEYS}` } as const;
    const { allowed } = await authorizer.authorize(anna, of);
    expect(allowed).toBe(n % 2 === 0);
  }
  expect(parses).not.toHaveBeenCalled();
  await create('one-more', 'anna');
  expect(seen()).toMatchObject({ names: expect.any(Set) });
  expect([...(seen() as { names: Set<string> }).names]).toContain('one-more');
  expect(parses).toHaveBeenCalledTimes(1);
});
