/** Records that cannot be read of a source that has a placeholder for them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openDamaged } from '../../test/fixtures/stores/damagedstore.js';
import type { Storage } from '../storage/interface.js';
import { openCache } from './cache.js';
import type { Cache, ResourceCache } from './interface.js';
import { SOURCES, keyOf, put, record, remove, seen, text } from './testing/changes.js';

const WAIT_MS = 10_000;
const withPlaceholders = SOURCES.map((source) => ({
  ...source,
  placeholder: (path: string) => Buffer.from(record(path)),
}));

let directory: string;
let storage: Storage;
let cache: Cache;
let things: ResourceCache;
let problems: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'placeholder-'));
  storage = await openDamaged(
    directory,
    [put('a/bad', { has: 'what is lost' }), put('a/good', { n: 1 })],
    'what is lost',
  );
  problems = [];
  cache = await openCache(storage, withPlaceholders, { report: (problem) => problems.push(problem) });
  things = cache.resource('test/things');
});
afterEach(async () => {
  await cache.close();
  await storage.close();
  await rm(directory, { recursive: true });
});

const commit = async (...writes: Parameters<Storage['commit']>[0]): Promise<void> => {
  const { revisions } = await storage.commit(writes);
  await things.reach(revisions.at(-1) as number, WAIT_MS);
};

test('loads placeholders, and reports the records behind them', () => {
  expect(text(things.latest().entries(''))).toEqual(['a/bad', 'a/good']);
  const entry = things.latest().get('a/bad');
  expect(entry?.bytes.toString()).toBe(record('a/bad', {}, entry?.revision));
  expect([...things.undecryptable().keys()]).toEqual(['a/bad']);
  expect(problems).toContain(
    'the record at registry/test/things/a/bad cannot be read and is served with its name alone',
  );
});

test('reports an object as changed, not deleted, when its record becomes undecryptable', async () => {
  const watcher = seen();
  things.subscribe({ after: things.latest().revision, prefix: '' }, watcher);
  await commit({ key: keyOf('a/good'), value: Buffer.from('broken'), expect: 'any' });
  expect(things.latest().get('a/good')?.object()).not.toHaveProperty('n');
  await commit(put('a/good', { n: 2 }));
  expect(things.latest().get('a/good')?.object()).toMatchObject({ n: 2 });
  await commit(remove('a/bad'));
  expect(watcher.batches).toEqual([['+a/good'], ['+a/good'], ['-a/bad']]);
  expect(things.undecryptable().size).toBe(0);
});
