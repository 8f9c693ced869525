/** How watches end: by the consumer, by compaction, and with a consumer that stalls. */
import { expect } from '@jest/globals';
import { FIRST_REVISION, type Storage } from '../../interface.js';
import { ALL, commitOne, failureOf, put, type StorageCase } from './case.js';
import { readWatch, type WatchReader } from './reader.js';

const STALL_COMMITS = 600;
const STALL_VALUE = Buffer.alloc(8_192, 's');

/** About 10 MB of events: more than an engine keeps in memory for one watch. */
async function writeMuch(storage: Storage): Promise<number> {
  let last = 0;
  for (let done = 0; done < STALL_COMMITS; done += 30) {
    const commits = Array.from({ length: 30 }, (_, one) =>
      storage.commit([put(`k${done + one}`, STALL_VALUE), put(`l${done + one}`, STALL_VALUE)]),
    );
    last = Math.max(last, ...(await Promise.all(commits)).flatMap(({ revisions }) => revisions));
  }
  return last;
}

/** The number of events until `last`, or the code with which the watch ended. */
async function countOrCode(reader: WatchReader, last: number): Promise<number | string> {
  const reading = reader.until(last);
  const events = await reading.catch(() => undefined);
  return events === undefined ? (await failureOf(reading)).code : events.length;
}

export const watchEndCases: readonly StorageCase[] = [
  {
    name: 'cancel ends a watch that waits, and only that one',
    run: async ({ storage }) => {
      const [watch, other] = [storage.watch(ALL), storage.watch(ALL)];
      const reader = readWatch(watch);
      const revision = await commitOne(storage, put('a'));
      await reader.until(revision);
      const ended = drain(reader);
      watch.cancel();
      watch.cancel();
      await ended;
      expect(await reader.next()).toBeUndefined();
      expect(await readWatch(other).until(revision)).toHaveLength(1);
      other.cancel();
    },
  },
  {
    name: 'a watch of a compacted revision or of a closed store reports no start',
    run: async ({ storage }) => {
      let stood = 0;
      const standing = (): void => void (stood += 1);
      const first = await commitOne(storage, put('a', '1'));
      const newest = await commitOne(storage, put('a', '2'));
      await storage.compact(newest);
      const gone = readWatch(storage.watch(ALL, { after: first, standing }));
      expect((await failureOf(gone.next())).code).toBe('compacted');
      await storage.close();
      await drain(readWatch(storage.watch(ALL, { after: newest, standing })));
      expect(stood).toBe(0);
    },
  },
  {
    name: 'a watch cancelled before it is read ends at once',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      watch.cancel();
      await commitOne(storage, put('a'));
      await drain(readWatch(watch));
    },
  },
  {
    name: 'leaving the iteration ends the watch',
    run: async ({ storage }) => {
      const reader = readWatch(storage.watch(ALL));
      await reader.until(await commitOne(storage, put('a')));
      await reader.leave();
      expect(await reader.next()).toBeUndefined();
    },
  },
  {
    name: 'a watch after a compacted revision fails, and one after the compaction revision works',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('a', '1'));
      const kept = await commitOne(storage, put('a', '2'));
      const last = await commitOne(storage, put('a', '3'));
      await storage.compact(kept);
      for (const after of [first, kept - 1]) {
        const failure = await failureOf(readWatch(storage.watch(ALL, { after })).next());
        expect(failure).toMatchObject({ code: 'compacted', revision: after });
      }
      const watch = storage.watch(ALL, { after: kept });
      expect((await readWatch(watch, kept).until(last)).map((event) => event.revision)).toEqual([last]);
      watch.cancel();
    },
  },
  {
    name: 'a watch after a revision below the first is compacted',
    run: async ({ storage }) => {
      await commitOne(storage, put('a'));
      for (const after of [1, FIRST_REVISION - 1]) {
        expect(await failureOf(readWatch(storage.watch(ALL, { after })).next())).toMatchObject({
          code: 'compacted',
        });
      }
    },
  },
  {
    name: 'a watch that has caught up survives compaction',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      const reader = readWatch(watch);
      const revision = await commitOne(storage, put('a', '1'));
      await reader.until(revision);
      const waiting = reader.take(1);
      await storage.compact(revision);
      const next = await commitOne(storage, put('a', '2'));
      expect((await waiting).map((event) => event.revision)).toEqual([next]);
      watch.cancel();
    },
  },
  {
    name: 'a consumer that stalls gets everything or an error, and does not delay others',
    run: async ({ storage }) => {
      const [stalled, lively] = [storage.watch(ALL), storage.watch(ALL)];
      const [slow, quick] = [readWatch(stalled), readWatch(lively)];
      const first = await commitOne(storage, put('first'));
      await slow.until(first);
      const all = quick.take(1 + 2 * STALL_COMMITS);
      const last = await writeMuch(storage);
      await all;
      expect([2 * STALL_COMMITS, 'compacted', 'unavailable']).toContain(await countOrCode(slow, last));
      stalled.cancel();
      lively.cancel();
    },
  },
  {
    name: 'a consumer that stalls past compaction gets everything or an error',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      const reader = readWatch(watch);
      await reader.until(await commitOne(storage, put('first')));
      const last = await writeMuch(storage);
      await storage.compact(last);
      expect([2 * STALL_COMMITS, 'compacted', 'unavailable']).toContain(await countOrCode(reader, last));
      watch.cancel();
    },
  },
];

/** Reads to the normal end. */
async function drain(reader: WatchReader): Promise<void> {
  while ((await reader.next()) !== undefined);
}
