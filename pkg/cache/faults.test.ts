import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openCache, startCache } from './cache.js';
import { CacheUnavailable, type Cache } from './interface.js';
import { SOURCES, isSubscription, put, remove, seen, text } from './testing/changes.js';
import { openEmbedded } from '../storage/embedded/embedded.js';
import { StorageError, type Storage, type StorageFailure } from '../storage/interface.js';
import { lineTo, type Line } from './testing/line.js';

const WAIT_MS = 10_000;
const UNAVAILABLE: StorageFailure = { code: 'unavailable', reason: 'cut', outcome: 'none' };

describe('when the store fails', () => {
  let directory: string;
  let engine: Storage;
  let line: Line;
  let cache: Cache | undefined;
  const last = async (...writes: Parameters<Storage['commit']>[0]): Promise<number> =>
    (await engine.commit(writes)).revisions.at(-1) as number;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'cache-'));
    engine = await openEmbedded({ directory });
    line = lineTo(engine);
  });
  afterEach(async () => {
    await cache?.close();
    cache = undefined;
    await engine.close();
    await rm(directory, { recursive: true });
  });

  test('keeps reads and subscriptions while it is unavailable, without losing events', async () => {
    await last(put('a/one'));
    const failed = new Promise<void>((resolve) => {
      line.down = undefined;
      void openCache(line.storage, SOURCES, { retryMs: 1, report: () => resolve() }).then((opened) => {
        cache = opened;
        const things = opened.resource('test/things');
        things.subscribe({ after: things.latest().revision, prefix: '' }, watcher);
        line.down = UNAVAILABLE;
        line.breakWatches(UNAVAILABLE);
      });
    });
    const watcher = seen();
    await failed;
    const opened = cache as unknown as Cache;
    const things = opened.resource('test/things');
    expect(opened.healthy()).toBe(false);
    expect(opened.health()).toMatchObject({ loaded: true, following: false });
    expect(opened.health().problem).toContain('unavailable');
    const revision = await last(put('a/two'), remove('a/one'));
    expect(text(things.latest().entries(''))).toEqual(['a/one']);
    line.down = undefined;
    expect(await things.reach(revision, WAIT_MS)).toBe(true);
    expect(opened.healthy()).toBe(true);
    expect(watcher.batches).toEqual([['+a/two', '-a/one']]);
    expect(watcher.ends).toBe(0);
  });

  test('does not take a refused watch for an established one', async () => {
    const healthy: (boolean | undefined)[] = [];
    let refused = true;
    const refusing: Storage = {
      ...engine,
      watch(range, options) {
        if (!refused) return engine.watch(range, options);
        return {
          cancel: () => undefined,
          async *[Symbol.asyncIterator]() {
            healthy.push(cache?.healthy());
            await Promise.resolve();
            throw new StorageError(UNAVAILABLE);
          },
        };
      },
    };
    cache = startCache(refusing, SOURCES, { retryMs: 1, report: () => (refused = healthy.length < 5) });
    const things = cache.resource('test/things');
    const opened = cache;
    await opened.ready;
    await things.reach(await last(put('a/one')), WAIT_MS);
    expect(healthy).toEqual(Array(5).fill(false));
    expect(opened.healthy()).toBe(true);
  });

  test('rebuilds the cache after a compaction, ends subscriptions and refuses older revisions', async () => {
    const first = await last(put('a/one'));
    cache = await openCache(line.storage, SOURCES, { retryMs: 1 });
    const things = cache.resource('test/things');
    const watcher = seen();
    const ended = new Promise<void>((resolve) => {
      things.subscribe({ after: first, prefix: '' }, { ...watcher, end: resolve });
    });
    const old = things.latest();
    line.down = UNAVAILABLE;
    const newest = await last(put('a/two'), remove('a/one'));
    await engine.compact(newest);
    line.breakWatches({ code: 'compacted', revision: first, oldest: newest });
    line.down = undefined;
    await ended;
    expect(text(things.latest().entries(''))).toEqual(['a/two']);
    expect(text(old.entries(''))).toEqual(['a/one']);
    expect(things.at(first)).toBeUndefined();
    expect(isSubscription(things.subscribe({ after: first, prefix: '' }, watcher))).toBe(false);
    await things.reach(await last(put('a/three')), WAIT_MS);
    expect(text(things.latest().entries(''))).toEqual(['a/three', 'a/two']);
  });

  test('is not loaded until the store answers', async () => {
    line.down = UNAVAILABLE;
    const revision = await last(put('a/one'));
    cache = startCache(line.storage, SOURCES, { retryMs: 1 });
    const things = cache.resource('test/things');
    expect(() => things.latest()).toThrow(CacheUnavailable);
    expect(() => things.subscribe({ after: revision, prefix: '' }, seen())).toThrow(CacheUnavailable);
    expect(things.at(revision)).toBeUndefined();
    expect(cache.healthy()).toBe(false);
    const reached = things.reach(revision, WAIT_MS);
    line.down = undefined;
    await cache.ready;
    expect(await reached).toBe(true);
    expect(text(things.latest().entries(''))).toEqual(['a/one']);
  });

  test('stops while the store hangs', async () => {
    line.hanging = true;
    cache = startCache(line.storage, SOURCES);
    const ready = cache.ready;
    await cache.close();
    await expect(ready).rejects.toThrow('closed');
  });

  test('ends a subscriber that throws, and keeps the others', async () => {
    cache = await openCache(line.storage, SOURCES);
    const things = cache.resource('test/things');
    const after = things.latest().revision;
    const [bad, good] = [seen(), seen()];
    bad.events = () => {
      throw new Error('no');
    };
    things.subscribe({ after, prefix: '' }, bad);
    things.subscribe({ after, prefix: '' }, good);
    await things.reach(await last(put('a/one')), WAIT_MS);
    expect(bad.ends).toBe(1);
    expect(good.batches).toEqual([['+a/one']]);
  });
});
