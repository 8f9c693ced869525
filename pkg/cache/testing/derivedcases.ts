/** Objects that follow from those of another resource: part of the suite of `conformance.ts`. */
import { expect, test } from '@jest/globals';
import type { ResourceCache } from '../interface.js';
import type { Write } from '../../storage/interface.js';
import { keyOf, put, record, remove, seen, text } from './changes.js';
import type { TestCaches } from './testcaches.js';

const WAIT_MS = 10_000;

interface Opened {
  readonly things: ResourceCache;
  readonly shadows: ResourceCache;
  readonly marks: ResourceCache;
}

async function openIn(caches: TestCaches): Promise<Opened> {
  const { cache, things } = await caches.open();
  return { things, shadows: cache.resource('test/shadows'), marks: cache.resource('test/marks') };
}

const put2 = (path: string, look = 'old'): Write => put(path, { casts: ['x', 'y'], look });

export function derivedCases(caches: TestCaches): void {
  objectCases(caches);
  eventCases(caches);
  pastCases(caches);
  storedCases(caches);
}

function objectCases(caches: TestCaches): void {
  test('are loaded, and follow their object, with its revision', async () => {
    await caches.commit(put2('a/one'), put('a/two'));
    const { things, shadows, marks } = await openIn(caches);
    expect(text(shadows.latest().entries(''))).toEqual(['a/of:one:x', 'a/of:one:y']);
    const revision = await caches.commitLast(put2('b/one', 'new'));
    await things.reach(revision, WAIT_MS);
    for (const [cache, by] of [
      [shadows, 'shadows'],
      [marks, 'marks'],
    ] as const) {
      const entry = cache.latest().get('b/of:one:y');
      const bytes = record('b/of:one:y', { by, content: 'new' }, revision);
      expect(entry).toMatchObject({ namespace: 'b', name: 'of:one:y', revision, derived: true });
      expect(entry?.bytes.toString()).toBe(bytes);
      expect(entry?.byteLength).toBe(bytes.length);
      expect(entry?.parse()).toEqual(JSON.parse(bytes));
      expect(cache.latest().size).toBe(4);
      expect(cache.latest().count('b/')).toBe(2);
    }
    expect(things.latest().get('b/one')).not.toHaveProperty('derived');
    expect([shadows.isDerived('of:one:x'), shadows.isDerived('one'), things.isDerived('of:a:b')]).toEqual([
      true,
      false,
      false,
    ]);
  });
}

function eventCases(caches: TestCaches): void {
  test('have events in the call of the commit, at the revision of their object', async () => {
    const { things, shadows, marks } = await openIn(caches);
    const after = things.latest().revision;
    const [all, inB] = [seen(), seen()];
    shadows.subscribe({ after, prefix: '' }, all);
    marks.subscribe({ after, prefix: 'b/' }, inB);
    const made = await caches.commitLast(put2('a/one'), put2('b/one'));
    const changed = await caches.commitLast(put('a/one', { casts: ['y', 'z'], look: 'new' }));
    const gone = await caches.commitLast(put('b/one'), remove('a/one'));
    await things.reach(gone, WAIT_MS);
    expect(all.batches).toEqual([
      ['+a/of:one:x', '+a/of:one:y', '+b/of:one:x', '+b/of:one:y'],
      ['-a/of:one:x', '+a/of:one:y', '+a/of:one:z'],
      ['-b/of:one:x', '-b/of:one:y', '-a/of:one:y', '-a/of:one:z'],
    ]);
    expect(inB.batches).toEqual([
      ['+b/of:one:x', '+b/of:one:y'],
      ['-b/of:one:x', '-b/of:one:y'],
    ]);
    expect(all.events_.map(({ revision }) => revision)).toEqual([
      ...[made - 1, made - 1, made, made],
      ...[changed, changed, changed],
      ...[gone - 1, gone - 1, gone, gone],
    ]);
    const [left, stayed] = all.events_.slice(4);
    expect(left?.entry.bytes.toString()).toBe(
      record('a/of:one:x', { by: 'shadows', content: 'old' }, changed),
    );
    expect([left, stayed].map((event) => event?.previous?.revision)).toEqual([made - 1, made - 1]);
    expect(stayed?.previous?.object()).toMatchObject({ content: 'old' });
  });
}

function pastCases(caches: TestCaches): void {
  test('are read at exact revisions, also after a restart of the cache', async () => {
    const first = await caches.commitLast(put2('a/one'));
    const second = await caches.commitLast(put('a/one', { casts: ['z'], look: 'new' }));
    const third = await caches.commitLast(remove('a/one'));
    const { shadows } = await openIn(caches);
    const at = (revision: number): string[] =>
      Array.from(shadows.at(revision)?.entries('') ?? [], ({ path, revision: of }) => `${path}@${of}`);
    expect(at(first - 1)).toEqual([]);
    expect(at(first)).toEqual([`a/of:one:x@${first}`, `a/of:one:y@${first}`]);
    expect(at(second)).toEqual([`a/of:one:z@${second}`]);
    expect(at(third)).toEqual([]);
    const watcher = seen();
    shadows.subscribe({ after: first, prefix: '' }, watcher);
    expect(watcher.batches).toEqual([['-a/of:one:x', '-a/of:one:y', '+a/of:one:z', '-a/of:one:z']]);
  });

  test('of one revision come again to a client that may have the first only', async () => {
    const { things, shadows } = await openIn(caches);
    const several = await caches.commitLast(put2('a/one'));
    const single = await caches.commitLast(put('a/two', { casts: ['x'] }));
    await things.reach(single, WAIT_MS);
    const resumed = (after: number, repeats: boolean): string[][] => {
      const watcher = seen();
      shadows.subscribe({ after, prefix: '', repeats }, watcher);
      return watcher.batches;
    };
    expect(resumed(several, false)).toEqual([['+a/of:two:x']]);
    expect(resumed(several, true)).toEqual([['+a/of:one:x', '+a/of:one:y', '+a/of:two:x']]);
    expect(resumed(single, true)).toEqual([]);
  });
}

function storedCases(caches: TestCaches): void {
  test('take the place of stored records of their names, which are told', async () => {
    const stored = (path: string, n: number) => ({
      ...put(path),
      key: keyOf(path, 'shadows'),
      value: Buffer.from(record(path, { n })),
    });
    await caches.commit(put('a/one', { casts: ['x'] }));
    const [, left, other] = await caches.commit(
      stored('a/of:one:x', 1),
      stored('a/of:gone:x', 1),
      stored('a/mine', 1),
    );
    const { things, shadows } = await openIn(caches);
    const watcher = seen();
    shadows.subscribe({ after: shadows.latest().revision, prefix: '' }, watcher);
    expect(text(shadows.latest().entries(''))).toEqual(['a/mine', 'a/of:one:x']);
    expect(shadows.latest().get('a/of:one:x')?.object()).not.toHaveProperty('n');
    expect(shadows.latest().get('a/mine')?.revision).toBe(other);
    const again = await caches.commitLast(stored('a/of:one:x', 2));
    await things.reach(again, WAIT_MS);
    expect([...shadows.shadowed()].toSorted()).toEqual([
      ['a/of:gone:x', left],
      ['a/of:one:x', again],
    ]);
    const key = keyOf('a/of:one:x', 'shadows');
    await things.reach(await caches.commitLast({ key, expect: again }, remove('a/one')), WAIT_MS);
    expect([...shadows.shadowed().keys()]).toEqual(['a/of:gone:x']);
    expect(watcher.batches).toEqual([['-a/of:one:x']]);
    expect(things.shadowed().size).toBe(0);
  });

  test('end with a record of their object that cannot be read', async () => {
    const { things, shadows } = await openIn(caches);
    await caches.commit(put2('a/one'));
    const broken = { key: keyOf('a/one'), value: Buffer.from('broken'), expect: 'any' } as const;
    await things.reach(await caches.commitLast(broken), WAIT_MS);
    expect(shadows.latest().size).toBe(0);
  });
}
