import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openEmbedded } from '../../storage/embedded/embedded.js';
import { StorageError, type Storage } from '../../storage/interface.js';
import { BINDING_KEY, findBinding } from './binding.js';
import type { ClusterNotes, ReadNotes } from './clusternotes.js';
import { openGuard, type StoreGuard } from './guard.js';
import { StoreRefused } from './refused.js';
import { eventually } from '../../../test/fixtures/wait.js';

let directory: string;
let storage: Storage;
let notes: ClusterNotes & { known: ReadNotes };
const guards: StoreGuard[] = [];
const lost: StoreRefused[] = [];
const adopted: StoreRefused[] = [];

const put = (key: string, kept: Storage = storage) =>
  kept.commit([{ key, value: Buffer.from('x'), expect: 'any' }]);

function inMemory(): ClusterNotes & { known: ReadNotes } {
  let version = 0;
  const cluster = {
    known: { cluster: 'c', noted: undefined, projects: false, version: undefined } as ReadNotes,
    read: async () => cluster.known,
    async replace(noted: NonNullable<ReadNotes['noted']>, read: ReadNotes) {
      if (read.version !== cluster.known.version) return false;
      cluster.known = { ...cluster.known, noted, version: String((version += 1)) };
      return true;
    },
    async raise(noted: NonNullable<ReadNotes['noted']>) {
      await cluster.replace(noted, cluster.known);
    },
  };
  return cluster;
}

async function open(
  adopt = false,
  kept: Storage = storage,
  taken = (): Promise<void> => Promise.resolve(),
): Promise<StoreGuard> {
  const guard = await openGuard({
    storage: kept,
    notes,
    adopt,
    taken,
    report: () => undefined,
    lost: (why) => void lost.push(why),
    adopted: (why) => void adopted.push(why),
  });
  guards.push(guard);
  return guard;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'guard-'));
  storage = await openEmbedded({ directory });
  notes = inMemory();
});
afterEach(async () => {
  for (const guard of guards.splice(0)) guard.stop();
  lost.splice(0);
  adopted.splice(0);
  await storage.close();
  rmSync(directory, { recursive: true });
});

test('binds a store once if servers start together', async () => {
  await Promise.all([open(), open(), open()]);
  const { binding } = await findBinding(storage);
  expect(notes.known.noted).toMatchObject({ id: binding?.id, mark: binding?.mark });
  expect([lost, adopted]).toEqual([[], []]);
});

test('makes keys before the first record, and none for a refused store', async () => {
  const found: boolean[] = [];
  const taken = async (): Promise<void> =>
    void found.push((await findBinding(storage)).binding !== undefined);
  await expect(open(false, storage, () => Promise.reject(new Error('no key')))).rejects.toThrow('no key');
  expect((await findBinding(storage)).binding).toBeUndefined();
  await open(false, storage, taken);
  await open(false, storage, taken);
  expect(found).toEqual([false, true]);
  notes.known = { ...notes.known, cluster: 'another' };
  await expect(open(false, storage, taken)).rejects.toThrow(StoreRefused);
  expect(found).toHaveLength(2);
});

test('records writes in the store and at the cluster', async () => {
  const guard = await open();
  const before = notes.known.noted?.mark ?? 0;
  const { revisions } = await put('a', guard.storage);
  await eventually('the mark', async () => (notes.known.noted?.mark ?? 0) > before);
  expect(notes.known.noted?.revision).toBeGreaterThan(revisions[0] as number);
  expect((await findBinding(storage)).binding?.mark).toBe(notes.known.noted?.mark);
});

test('refuses a store that is behind, and adopts it on request', async () => {
  await open();
  const noted = { id: notes.known.noted?.id ?? '', mark: 99, revision: 1 };
  notes.known = { ...notes.known, noted };
  await expect(open()).rejects.toThrow(StoreRefused);
  await open(true);
  expect(adopted.map(({ reason }) => reason)).toEqual(['behind']);
  expect(notes.known.noted?.id).not.toBe(noted.id);
  await open();
});

test('servers that adopt a store together agree', async () => {
  notes.known = { ...notes.known, noted: { id: 'other', mark: 1, revision: 1 }, version: '0' };
  await Promise.all([open(true), open(true), open(true)]);
  const { binding } = await findBinding(storage);
  expect(notes.known.noted?.id).toBe(binding?.id);
});

test('neither reads nor writes a different store after an interruption', async () => {
  const guard = await open();
  await put('a', guard.storage);
  guard.interrupted();
  expect((await guard.storage.get('a')).record).toBeDefined();
  await storage.commit([{ key: BINDING_KEY, expect: 'present' }]);
  guard.interrupted();
  await expect(put('b', guard.storage)).rejects.toThrow(StorageError);
  await expect(guard.storage.get('a')).rejects.toThrow(StorageError);
  expect((await storage.get('b')).record).toBeUndefined();
  expect(lost.map(({ reason }) => reason)).toEqual(['empty']);
});

test('requests wait after an interruption until the store answers', async () => {
  let away = true;
  const failure = { code: 'unavailable', reason: 'away', outcome: 'none' } as const;
  const flaky: Storage = {
    ...storage,
    get: (...args) => (away ? Promise.reject(new StorageError(failure)) : storage.get(...args)),
  };
  away = false;
  const guard = await open(false, flaky);
  away = true;
  guard.interrupted();
  const answer = guard.storage.currentRevision();
  away = false;
  expect(await answer).toBeGreaterThan(0);
  expect(lost).toEqual([]);
});
