import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../../test/fixtures/wait.js';
import type { ResourceSource } from '../../cache/interface.js';
import { SOURCES } from '../../cache/testing/changes.js';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { StorageError, type Storage, type StorageWatch } from '../../storage/interface.js';
import { syncedWithin, joinedCache, openCaches } from './caches.js';

let directory: string;
const stores: Storage[] = [];

async function store(name: string): Promise<Storage> {
  const opened = await openEmbedded({ directory: join(directory, name) });
  stores.push(opened);
  return opened;
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'caches-'));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((one) => one.close()));
  rmSync(directory, { recursive: true });
});

test('a joined cache is unhealthy while a cache of the host does not follow', async () => {
  const [things, others] = SOURCES as [ResourceSource, ResourceSource];
  const inner = await store('host');
  let away = false;
  let watch: StorageWatch | undefined;
  const host: Storage = {
    ...inner,
    currentRevision: () =>
      away
        ? Promise.reject(new StorageError({ code: 'unavailable', reason: 'away', outcome: 'none' }))
        : inner.currentRevision(),
    watch: (...args) => (watch = inner.watch(...args)),
  };
  const { own, hostCaches } = await openCaches(
    { storage: await store('own'), own: [things], host: [{ ...others, storage: host }] },
    {},
  );
  const joined = joinedCache(own, hostCaches);
  await eventually('both', () => Promise.resolve(joined.healthy()));
  expect(joined.health()).toMatchObject({ loaded: true, following: true, problem: undefined });
  expect(syncedWithin(hostCaches, 0)).toBe(true);
  away = true;
  watch?.cancel();
  await eventually('the loss', () => Promise.resolve(!joined.healthy()));
  expect(own.healthy()).toBe(true);
  expect(joined.health()).toMatchObject({ loaded: true, following: false, problem: expect.any(String) });
  expect(syncedWithin(hostCaches, 600_000)).toBe(true);
  await eventually('the timeout', () => Promise.resolve(!syncedWithin(hostCaches, 10)));
  away = false;
  await eventually('its return', () => Promise.resolve(joined.healthy()));
  expect(syncedWithin(hostCaches, 0)).toBe(true);
  await joined.close();
});
