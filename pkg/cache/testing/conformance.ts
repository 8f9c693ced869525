/** The suite that a cache over any storage engine passes. An engine's test is one call of {@link describeCache}. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openCache } from '../cache.js';
import { SOURCES, isSubscription, keyOf, put, record, remove, seen, text } from './changes.js';
import { derivedCases } from './derivedcases.js';
import { TestCaches, type CacheFixture } from './testcaches.js';

const WAIT_MS = 10_000;

export function describeCache(name: string, open: () => Promise<CacheFixture>): void {
  describe(`cache over ${name}`, () => {
    const caches = new TestCaches();
    beforeEach(async () => caches.start(await open()));
    afterEach(() => caches.close());

    describe('objects', () => objectCases(caches));
    describe('snapshots', () => snapshotCases(caches));
    describe('subscriptions', () => subscriptionCases(caches));
    describe('start revisions of subscriptions', () => startRevisionCases(caches));
    describe('corrupt records', () => corruptRecordCases(caches));
    describe('derived objects', () => derivedCases(caches));
  });
}

function objectCases(caches: TestCaches): void {
  test('loads existing objects, and follows changes', async () => {
    await caches.commit(put('a/one'), put('b/two'), {
      key: 'private/x',
      value: Buffer.from('x'),
      expect: 'any',
    });
    const { cache, things } = await caches.open();
    expect(text(things.latest().entries(''))).toEqual(['a/one', 'b/two']);
    const revision = await caches.commitLast(put('a/three'), remove('b/two'));
    expect(await things.reach(revision, WAIT_MS)).toBe(true);
    const snapshot = things.latest();
    expect(text(snapshot.entries(''))).toEqual(['a/one', 'a/three']);
    expect(snapshot.revision).toBe(cache.revision());
    expect(snapshot.size).toBe(2);
    expect(cache.healthy()).toBe(true);
    expect(cache.resource('test/others').latest().size).toBe(0);
  });

  test('an entry has the served bytes, its key and the parsed object', async () => {
    const { things } = await caches.open();
    const revision = await caches.commitLast(put('a/one', { n: 1 }));
    await things.reach(revision, WAIT_MS);
    const entry = things.latest().get('a/one');
    expect(entry).toMatchObject({ path: 'a/one', namespace: 'a', name: 'one', revision });
    expect(entry?.bytes.toString()).toBe(record('a/one', { n: 1 }, revision));
    expect(entry?.byteLength).toBe(entry?.bytes.length);
    expect(entry?.object().metadata.resourceVersion).toBe(String(revision));
    expect(entry?.object()).toBe(entry?.object());
  });
}

function snapshotCases(caches: TestCaches): void {
  test('a snapshot does not change', async () => {
    await caches.commit(put('a/one', { n: 1 }), put('a/two'));
    const { things } = await caches.open();
    const before = things.latest();
    const [one] = before.entries('');
    const bytes = one?.bytes.toString();
    await things.reach(
      await caches.commitLast(put('a/one', { n: 2 }), remove('a/two'), put('a/three')),
      WAIT_MS,
    );
    expect(text(before.entries(''))).toEqual(['a/one', 'a/two']);
    expect(one?.bytes.toString()).toBe(bytes);
  });

  test('reads exact revisions, also between two writes of one commit', async () => {
    const { things } = await caches.open();
    const start = things.latest().revision;
    const revisions = await caches.commit(put('a/one'), put('a/two'), put('a/three'));
    const more = await caches.commit(remove('a/two'), put('a/one', { n: 2 }));
    await things.reach(more.at(-1) as number, WAIT_MS);
    const at = (revision: number | undefined) => {
      const snapshot = things.at(revision as number);
      expect(snapshot?.revision).toBe(revision);
      return text(snapshot?.entries('') ?? []);
    };
    expect(at(start)).toEqual([]);
    expect(at(revisions[0])).toEqual(['a/one']);
    expect(at(revisions[1])).toEqual(['a/one', 'a/two']);
    expect(at(revisions[2])).toEqual(['a/one', 'a/three', 'a/two']);
    expect(at(more[0])).toEqual(['a/one', 'a/three']);
    expect(things.at(more[0] as number)?.get('a/one')?.revision).toBe(revisions[0]);
    expect(things.at(things.latest().revision + 1)).toBeUndefined();
    // The first revision of a store is 64 at least.
    expect(things.at(63)).toBeUndefined();
  });

  test.each([
    ['', undefined, ['a/b', 'a/c', 'ab/a', 'b/a']],
    ['a/', undefined, ['a/b', 'a/c']],
    ['a/', 'a/b\u0000', ['a/c']],
    ['', 'a/c', ['a/c', 'ab/a', 'b/a']],
    ['b/', 'a/c', ['b/a']],
    ['a/', 'b/a', []],
    ['c/', undefined, []],
  ] as const)('entries and count of prefix %j from %j', async (prefix, start, expected) => {
    await caches.commit(put('b/a'), put('ab/a'), put('a/c'), put('a/b'));
    const { things } = await caches.open();
    expect(text(things.latest().entries(prefix, start))).toEqual(expected);
    expect(things.latest().count(prefix, start)).toBe(expected.length);
  });
}

function subscriptionCases(caches: TestCaches): void {
  test('sends events to the matching subscribers, one commit at a time', async () => {
    const { things } = await caches.open();
    const after = things.latest().revision;
    const [all, inA, one] = [seen(), seen(), seen()];
    things.subscribe({ after, prefix: '' }, all);
    things.subscribe({ after, prefix: 'a/' }, inA);
    things.subscribe({ after, prefix: 'b/one' }, one);
    const revision = await caches.commitLast(put('a/one'), put('b/one'), put('b/two'), put('a/two'));
    await things.reach(revision, WAIT_MS);
    expect(all.batches).toEqual([['+a/one', '+b/one', '+b/two', '+a/two']]);
    expect(inA.batches).toEqual([['+a/one', '+a/two']]);
    expect(one.batches).toEqual([['+b/one']]);
  });

  test('a delete has the last state and its own revision', async () => {
    const { things } = await caches.open();
    const watcher = seen();
    things.subscribe({ after: things.latest().revision, prefix: '' }, watcher);
    await caches.commit(put('a/one', { n: 1, note: '"resourceVersion":"1"' }));
    const revision = await caches.commitLast(remove('a/one'));
    await things.reach(revision, WAIT_MS);
    const event = watcher.events_.at(-1);
    expect(event).toMatchObject({ deleted: true, revision });
    expect(event?.entry.bytes.toString()).toBe(
      record('a/one', { n: 1, note: '"resourceVersion":"1"' }, revision),
    );
    expect(event?.previous?.object()).toMatchObject({ n: 1 });
  });

  test('reach returns false after the timeout, and stopping the cache ends subscriptions', async () => {
    const { cache, things } = await caches.open();
    const watcher = seen();
    things.subscribe({ after: things.latest().revision, prefix: '' }, watcher);
    const ahead = things.latest().revision + 1_000_000;
    expect(await things.reach(ahead, 1)).toBe(false);
    const waiting = things.reach(ahead, WAIT_MS);
    await cache.close();
    expect(await waiting).toBe(false);
    expect(watcher.ends).toBe(1);
  });

  test('notifies subscribers of progress', async () => {
    const { things } = await caches.open({ progressMs: 1 });
    const progressed = new Promise<number>((resolve) => {
      const after = things.latest().revision;
      things.subscribe({ after, prefix: 'a/' }, { ...seen(), progress: resolve });
    });
    const revision = await caches.commitLast(put('b/one'));
    expect(await progressed).toBeGreaterThanOrEqual(revision);
  });
}

function startRevisionCases(caches: TestCaches): void {
  test('replays past events within the call, also from between two writes of a commit', async () => {
    const { things } = await caches.open();
    const revisions = await caches.commit(put('a/one'), put('b/one'), put('a/two'));
    await things.reach(revisions[2] as number, WAIT_MS);
    const watcher = seen();
    const subscription = things.subscribe({ after: revisions[0] as number, prefix: 'a/' }, watcher);
    expect(watcher.batches).toEqual([['+a/two']]);
    await things.reach(await caches.commitLast(put('a/three')), WAIT_MS);
    expect(watcher.batches).toEqual([['+a/two'], ['+a/three']]);
    if (!isSubscription(subscription)) throw new Error('too old');
    subscription.cancel();
    await things.reach(await caches.commitLast(put('a/four')), WAIT_MS);
    expect(watcher.batches).toHaveLength(2);
  });

  test('waits for a start revision in the future', async () => {
    const { things } = await caches.open();
    const after = things.latest().revision + 1;
    const [soon, never] = [seen(), seen()];
    things.subscribe({ after, prefix: '' }, soon);
    things.subscribe({ after: after + 1_000_000, prefix: '' }, never);
    const revisions = await caches.commit(put('a/one'), put('a/two'), put('a/three'));
    await things.reach(revisions[2] as number, WAIT_MS);
    expect(soon.events_.map(({ revision }) => revision)).toEqual(revisions.filter((one) => one > after));
    expect(never.batches).toEqual([]);
  });

  test('replays events that the store still has after a restart of the cache', async () => {
    const first = await caches.commitLast(put('a/one'));
    const second = await caches.commitLast(put('a/two'), remove('a/one'));
    const { things } = await caches.open();
    const watcher = seen();
    expect(isSubscription(things.subscribe({ after: first, prefix: '' }, watcher))).toBe(true);
    expect(watcher.batches).toEqual([['+a/two', '-a/one']]);
    expect(text(things.at(first)?.entries('') ?? [])).toEqual(['a/one']);
    expect(things.latest().revision).toBeGreaterThanOrEqual(second);
  });

  test('refuses a start revision that is too old, and names the oldest possible one', async () => {
    const first = await caches.commitLast(put('a/one'));
    const newest = await caches.commitLast(put('a/two'));
    await caches.storage.compact(newest);
    const { things } = await caches.open();
    const refused = things.subscribe({ after: first, prefix: '' }, seen());
    if (isSubscription(refused)) throw new Error('should be too old');
    expect(refused.oldest).toBeGreaterThanOrEqual(newest);
    expect(isSubscription(things.subscribe({ after: refused.oldest, prefix: '' }, seen()))).toBe(true);
  });
}

function corruptRecordCases(caches: TestCaches): void {
  test.each([keyOf('a/broken')])('fails the first load if a record is corrupt: %s', async (key) => {
    await caches.storage.commit([{ key, value: Buffer.from('broken'), expect: 'any' }]);
    await expect(openCache(caches.storage, SOURCES)).rejects.toMatchObject({
      name: 'CorruptRecord',
      key,
    });
  });

  test('leaves out a corrupt record later, and reports it', async () => {
    const problems: string[] = [];
    const { things } = await caches.open({ report: (problem) => problems.push(problem) });
    await caches.commit(put('a/one'));
    const broken = { key: keyOf('a/one'), value: Buffer.from('broken'), expect: 'any' } as const;
    await things.reach(await caches.commitLast(broken, put('a/two')), WAIT_MS);
    expect(text(things.latest().entries(''))).toEqual(['a/two']);
    expect(problems.join()).toContain(keyOf('a/one'));
    await things.reach(await caches.commitLast(put('a/one')), WAIT_MS);
    expect(text(things.latest().entries(''))).toEqual(['a/one', 'a/two']);
  });
}
