import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { StorageError, type Storage } from '../../storage/interface.js';
import { ShortRecords } from './shortrecords.js';
import { UsedLogins } from './usedlogins.js';

let directory: string;
let storage: Storage;
let now = 0;
const failures: unknown[] = [];
const opened = (): UsedLogins =>
  new UsedLogins({ storage, now: () => now, failed: (error) => void failures.push(error) });
const kept = async (): Promise<number> =>
  (await storage.scan({ start: 'private/', end: 'private0' })).records.length;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'used-logins-'));
  storage = await openEmbedded({ directory });
  now = 1e12;
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true });
  expect(failures.splice(0)).toEqual([]);
});

test('allows a login once, also on several servers at the same moment', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => opened().use('one')));
  expect(all.filter(Boolean)).toHaveLength(1);
  expect(await opened().use('one')).toBe(false);
  expect(await opened().use('another')).toBe(true);
});

test('releases a login whose use has failed', async () => {
  await opened().use('one');
  await opened().release('one');
  await opened().release('another');
  expect(await opened().use('one')).toBe(true);
  expect(await opened().use('one')).toBe(false);
});

test('keeps what a login waits with for an hour, by a hash of its name', async () => {
  const records = new ShortRecords<string>('private/waiting/', {
    storage,
    now: () => now,
    failed: () => undefined,
  });
  await records.set('secret', 'content');
  await records.set('secret', 'later');
  expect(await records.get('secret')).toEqual({ at: now, content: 'later' });
  expect(await records.get('other')).toBeUndefined();
  now += 3_601_000;
  expect(await records.get('secret')).toBeUndefined();
});

test('removes records after an hour, and leaves unreadable ones', async () => {
  const logins = opened();
  for (let number = 0; number < 700; number += 1) await logins.use(`old ${number}`);
  await storage.commit([{ key: 'private/usedlogin/damaged', value: Buffer.from('{'), expect: 'any' }]);
  now += 3_599_000;
  await logins.use('new');
  await logins.sweep();
  expect(await kept()).toBe(702);
  now += 2_000;
  await Promise.all([logins.sweep(), opened().sweep()]);
  expect(await kept()).toBe(2);
  expect(await logins.use('new')).toBe(false);
});

test('stores nothing that identifies a login', async () => {
  await opened().use('the-login');
  const { records } = await storage.scan({ start: 'private/', end: 'private0' });
  expect(records.map(({ key, value }) => key + value.toString('utf8')).join()).not.toContain('the-login');
});

test('allows no login if the store does not answer', async () => {
  const away = new StorageError({ code: 'unavailable', reason: 'away', outcome: 'none' });
  const broken = {
    get: storage.get.bind(storage),
    scan: storage.scan.bind(storage),
    commit: () => Promise.reject(away),
  };
  await expect(new UsedLogins({ storage: broken, failed: () => undefined }).use('one')).rejects.toBe(away);
});
