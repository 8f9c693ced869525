/** Closing, and what must be as before after reopening. */
import { expect } from '@jest/globals';
import { FIRST_REVISION } from '../../interface.js';
import { ALL, at, commitOne, failureOf, fill, put, remove, stateOf, type StorageCase } from './case.js';
import { eventText, readWatch, withinTime } from './reader.js';

export const lifecycleCases: readonly StorageCase[] = [
  {
    name: 'the first revisions are not below the floor',
    run: async ({ storage }) => {
      expect(await storage.currentRevision()).toBeGreaterThanOrEqual(FIRST_REVISION);
      const revision = await commitOne(storage, put('a'));
      expect(revision).toBeGreaterThanOrEqual(FIRST_REVISION);
      expect(Number.isSafeInteger(revision)).toBe(true);
    },
  },
  {
    name: 'capabilities are plain data',
    run: async ({ storage }) => {
      expect(storage.capabilities).toEqual({
        engine: expect.any(String),
        shared: expect.any(Boolean),
        durable: expect.any(Boolean),
      });
    },
  },
  {
    name: 'all records are readable after reopening',
    run: async ({ storage, reopen }) => {
      const keys = await fill(storage, 'k', 500);
      await storage.commit([remove(at(keys, 7)), put(at(keys, 8), 'changed')]);
      const before = await storage.scan(ALL);
      const again = await reopen();
      const after = await again.scan(ALL);
      expect(after.records).toEqual(before.records);
      expect(after.records).toHaveLength(499);
    },
  },
  {
    name: 'revisions continue after reopening, also after a delete',
    run: async ({ storage, reopen }) => {
      await commitOne(storage, put('a'));
      let last = await commitOne(storage, remove('a'));
      for (let round = 0; round < 3; round++) {
        const again = await reopen();
        expect(await again.currentRevision()).toBeGreaterThanOrEqual(last);
        const next = await commitOne(again, put('a', 'back', 'absent'));
        expect(next).toBeGreaterThan(last);
        last = await commitOne(again, remove('a', next));
      }
    },
  },
  {
    name: 'history is readable after reopening',
    run: async ({ storage, reopen }) => {
      const first = at((await storage.commit([put('a', '1'), put('c', '1')])).revisions, 1);
      const { revisions } = await storage.commit([put('a', '2'), put('b', '2'), remove('c')]);
      const again = await reopen();
      expect(await stateOf(again, ALL, first)).toEqual(['a=1', 'c=1']);
      expect(await stateOf(again, ALL, revisions[1])).toEqual(['a=2', 'b=2', 'c=1']);
      expect(await stateOf(again, ALL, revisions[2])).toEqual(['a=2', 'b=2']);
    },
  },
  {
    name: 'a watch resumes after reopening, also in the middle of a commit',
    run: async ({ storage, reopen }) => {
      await storage.commit([put('a', '1'), put('z', '1')]);
      const { revisions } = await storage.commit([put('a', '2'), put('b', '2'), remove('z')]);
      const again = await reopen();
      const last = await commitOne(again, put('c', '3'));
      const after = at(revisions, 0);
      const watch = again.watch(ALL, { after });
      const events = await readWatch(watch, after).until(last);
      expect(events.map(eventText)).toEqual(['b=2', 'z deleted.', 'c=3.']);
      watch.cancel();
    },
  },
  {
    name: 'compaction holds after reopening',
    run: async ({ storage, reopen }) => {
      const first = await commitOne(storage, put('a', '1'));
      const kept = await commitOne(storage, put('a', '2'));
      await commitOne(storage, put('a', '3'));
      await storage.compact(kept);
      const again = await reopen();
      expect((await failureOf(again.get('a', { revision: first }))).code).toBe('compacted');
      expect((await failureOf(readWatch(again.watch(ALL, { after: first })).next())).code).toBe('compacted');
      expect(await stateOf(again, ALL, kept)).toEqual(['a=2']);
    },
  },
  {
    name: 'close ends open watches, read from or not',
    run: async ({ storage }) => {
      const watches = [storage.watch(ALL), storage.watch(ALL), storage.watch(ALL)];
      const readers = watches.slice(0, 2).map((watch) => readWatch(watch));
      const ends = readers.map(async (reader) => {
        while ((await reader.next()) !== undefined);
      });
      await commitOne(storage, put('a'));
      await storage.close();
      await Promise.all(ends);
      const late = readWatch(at(watches, 2));
      while ((await late.next()) !== undefined);
    },
  },
  {
    name: 'close waits for commits in flight, which are applied completely or not at all',
    run: async ({ storage, reopen }) => {
      const commits = Array.from({ length: 50 }, (_, one) =>
        storage.commit([put(`a${one}`), put(`b${one}`)]),
      );
      const settled = Promise.allSettled(commits);
      const again = await reopen();
      const outcomes = await settled;
      const keys = (await again.scan(ALL)).records.map((one) => one.key);
      for (const [one, outcome] of outcomes.entries()) {
        const found = [`a${one}`, `b${one}`].filter((key) => keys.includes(key)).length;
        if (outcome.status === 'fulfilled') expect(found).toBe(2);
        else expect([0, 2]).toContain(found);
      }
    },
  },
  {
    name: 'close again does nothing, and calls after it are unavailable',
    run: async ({ storage }) => {
      await commitOne(storage, put('a'));
      await Promise.all([storage.close(), storage.close()]);
      await storage.close();
      const unavailable = { code: 'unavailable', outcome: 'none' };
      expect(await failureOf(storage.commit([put('a')]))).toMatchObject(unavailable);
      expect(await failureOf(storage.get('a'))).toMatchObject({ code: 'unavailable' });
      expect(await failureOf(storage.scan(ALL))).toMatchObject({ code: 'unavailable' });
      expect(await failureOf(storage.currentRevision())).toMatchObject({ code: 'unavailable' });
      const late = readWatch(storage.watch(ALL));
      await withinTime(late.next().catch(() => undefined));
    },
  },
];
