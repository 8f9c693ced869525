/** What a watch delivers: each event of its range once, in order, from where it was asked to start. */
import { expect } from '@jest/globals';
import { prefixEnd, type Storage, type StorageWatch } from '../../interface.js';
import { ALL, at, commitOne, put, remove, type StorageCase } from './case.js';
import { eventText, readWatch } from './reader.js';
import { soon } from '../../../apimachinery/eventloop/turns.js';

const A = { start: 'a/', end: prefixEnd('a/') };

async function threeCommits(storage: Storage): Promise<readonly number[]> {
  const one = await storage.commit([put('a', '1')]);
  const two = await storage.commit([put('b', '2'), remove('a'), put('c', '2')]);
  const three = await storage.commit([put('a', '3')]);
  return [...one.revisions, ...two.revisions, ...three.revisions];
}

const THREE_COMMITS = ['a=1.', 'b=2', 'a deleted', 'c=2.', 'a=3.'];

/** Resuming after each of the five events of three commits: also in the middle of the second one. */
const RESUMES = [0, 1, 2, 3, 4].map((after): StorageCase => ({
  name: `a watch resumed after event ${after + 1} of 5 delivers the rest`,
  run: async ({ storage }) => {
    const revisions = await threeCommits(storage);
    const watch = storage.watch(ALL, { after: at(revisions, after) });
    const reader = readWatch(watch, at(revisions, after));
    const last = await commitOne(storage, put('z', 'last'));
    const events = await reader.until(last);
    expect(events.map(eventText)).toEqual([...THREE_COMMITS.slice(after + 1), 'z=last.']);
    expect(events.map((event) => event.revision)).toEqual([...revisions.slice(after + 1), last]);
    watch.cancel();
  },
}));

export const watchCases: readonly StorageCase[] = [
  ...RESUMES,
  {
    name: 'a watch without a revision delivers commits after the call, also before it is read',
    run: async ({ storage }) => {
      await commitOne(storage, put('before'));
      await storage.currentRevision();
      const watch = storage.watch(ALL);
      await storage.commit([put('x', '1'), put('y', '1')]);
      const last = await commitOne(storage, remove('before'));
      const events = await readWatch(watch).until(last);
      expect(events.map(eventText)).toEqual(['x=1', 'y=1.', 'before deleted.']);
      watch.cancel();
    },
  },
  {
    name: 'a watch reports its start once, without events: from now on, and from the past',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('before'));
      const newest = await commitOne(storage, put('before', 'again'));
      for (const after of [undefined, newest, first]) {
        let times = 0;
        const watch = await new Promise<StorageWatch>((resolve) => {
          const standing = (): void => {
            times += 1;
            soon(() => resolve(opened));
          };
          const opened = storage.watch(ALL, { ...(after !== undefined && { after }), standing });
        });
        const reader = readWatch(watch, after);
        await reader.until(await commitOne(storage, put('after')));
        expect(times).toBe(1);
        watch.cancel();
      }
    },
  },
  {
    name: 'each commit wakes a waiting watch',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      const reader = readWatch(watch);
      for (let step = 0; step < 20; step++) {
        const waiting = reader.take(1);
        const revision = await commitOne(storage, put('k', `${step}`));
        expect(await waiting).toEqual([
          { key: 'k', value: Buffer.from(`${step}`), revision, commitEnd: true },
        ]);
      }
      watch.cancel();
    },
  },
  {
    name: 'a batch ends with a whole commit',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      const reader = readWatch(watch);
      const commits = Array.from({ length: 40 }, (_, one) =>
        storage.commit(Array.from({ length: 1 + (one % 7) }, (_unused, part) => put(`k${one}/${part}`))),
      );
      const last = Math.max(...(await Promise.all(commits)).flatMap(({ revisions }) => revisions));
      for (let reached = 0; reached < last;) {
        const batch = await reader.next();
        if (batch === undefined) throw new Error('the watch ended');
        if (batch.events.length > 0) expect(at(batch.events, -1).commitEnd).toBe(true);
        reached = batch.revision;
      }
      watch.cancel();
    },
  },
  {
    name: 'the writes of a commit arrive together, without those of others between them',
    run: async ({ storage }) => {
      const watch = storage.watch(ALL);
      const commits = Array.from({ length: 30 }, (_, one) =>
        storage.commit([0, 1, 2].map((part) => put(`k${one}/${part}`))),
      );
      await Promise.all(commits);
      const events = await readWatch(watch).take(90);
      for (let from = 0; from < 90; from += 3) {
        const triple = events.slice(from, from + 3);
        expect(triple.map((event) => event.commitEnd)).toEqual([false, false, true]);
        expect(new Set(triple.map((event) => event.key.split('/')[0])).size).toBe(1);
      }
      watch.cancel();
    },
  },
  {
    name: 'a watch delivers its range only, also when the range cuts a commit',
    run: async ({ storage }) => {
      const after = await storage.currentRevision();
      await storage.commit([put('a'), put('a/1'), put('a/2'), put('b')]);
      const last = at((await storage.commit([remove('a/1'), put('a0'), remove('b')])).revisions, -1);
      const watch = storage.watch(A, { after });
      const events = await readWatch(watch, after).until(last);
      expect(events.map(eventText)).toEqual(['a/1=a/1', 'a/2=a/2', 'a/1 deleted']);
      watch.cancel();
    },
  },
  {
    name: 'a write outside the range arrives as progress',
    run: async ({ storage }) => {
      const watch = storage.watch(A);
      const reader = readWatch(watch);
      for (let round = 0; round < 3; round++) {
        const revision = await commitOne(storage, put('other', `${round}`));
        expect(await reader.until(revision)).toEqual([]);
      }
      watch.cancel();
    },
  },
  {
    name: 'a watch after a future revision waits for it and leaves out what comes before',
    run: async ({ storage }) => {
      const after = (await commitOne(storage, put('k', 'start'))) + 200;
      const watch = storage.watch(ALL, { after });
      const expected: number[] = [];
      while (expected.length < 3) {
        const revision = await commitOne(storage, put('k'));
        if (revision > after) expected.push(revision);
      }
      const events = await readWatch(watch, after).take(3);
      expect(events.map((event) => event.revision)).toEqual(expected);
      watch.cancel();
    },
  },
  {
    name: 'concurrent watches each deliver their whole range',
    run: async ({ storage }) => {
      const after = await storage.currentRevision();
      const watches = Array.from({ length: 20 }, () => storage.watch(A, { after }));
      const readings = watches.map((watch) => readWatch(watch, after).take(50));
      await Promise.all(Array.from({ length: 50 }, (_, one) => commitOne(storage, put(`a/${one}`))));
      const all = (await Promise.all(readings)).map((events) => events.map((event) => event.key));
      for (const keys of all) expect(keys).toEqual(all[0]);
      for (const watch of watches) watch.cancel();
    },
  },
  {
    name: 'a watch replays a long history and continues with new commits',
    run: async ({ storage }) => {
      const after = await storage.currentRevision();
      for (let round = 0; round < 50; round++) {
        await storage.commit(Array.from({ length: 60 }, (_, part) => put(`k${part}`, `${round}`)));
      }
      const watch = storage.watch(ALL, { after });
      const reader = readWatch(watch, after);
      expect(await reader.take(3_000)).toHaveLength(3_000);
      const revision = await commitOne(storage, put('present'));
      expect((await reader.until(revision)).map(eventText)).toEqual(['present=present.']);
      watch.cancel();
    },
  },
];
