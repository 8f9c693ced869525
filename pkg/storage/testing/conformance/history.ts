/** Reads at an old revision, and forgetting. */
import { expect } from '@jest/globals';
import { FIRST_REVISION } from '../../interface.js';
import { ALL, at, commitOne, failureOf, put, remove, stateOf, valueOf, type StorageCase } from './case.js';

const OLD_STATES: StorageCase = {
  name: 'reads at an old revision show the state at that revision',
  run: async ({ storage }) => {
    const states: { revision: number; state: string[] }[] = [];
    const steps = [
      [put('a', '1')],
      [put('b', '1')],
      [put('a', '2'), put('c', '1')],
      [remove('b')],
      [put('b', '3', 'absent'), remove('a')],
    ];
    for (const writes of steps) {
      const { revisions } = await storage.commit(writes);
      states.push({ revision: at(revisions, -1), state: await stateOf(storage) });
    }
    for (const { revision, state } of states) expect(await stateOf(storage, ALL, revision)).toEqual(state);
    expect(states.map(({ state }) => state)).toEqual([
      ['a=1'],
      ['a=1', 'b=1'],
      ['a=2', 'b=1', 'c=1'],
      ['a=2', 'c=1'],
      ['b=3', 'c=1'],
    ]);
  },
};

const INSIDE_COMMIT: StorageCase = {
  name: 'reads at a revision inside a commit show its writes up to there',
  run: async ({ storage }) => {
    await storage.commit([put('a', '1'), put('b', '1'), put('c', '1')]);
    const { revisions } = await storage.commit([put('c', '2'), remove('a'), put('d', '2'), put('b', '2')]);
    const inside = [];
    for (const revision of revisions) inside.push(await stateOf(storage, ALL, revision));
    expect(inside).toEqual([
      ['a=1', 'b=1', 'c=2'],
      ['b=1', 'c=2'],
      ['b=1', 'c=2', 'd=2'],
      ['b=2', 'c=2', 'd=2'],
    ]);
    expect(await valueOf(storage, 'b', revisions[2])).toBe('1');
    expect(await valueOf(storage, 'b', revisions[3])).toBe('2');
    expect(await valueOf(storage, 'a', revisions[0])).toBe('1');
    expect(await valueOf(storage, 'a', revisions[1])).toBeUndefined();
  },
};

export const historyCases: readonly StorageCase[] = [
  OLD_STATES,
  INSIDE_COMMIT,
  {
    name: 'old reads carry the revisions of their records and the revision asked for',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('a', '1'));
      const second = await commitOne(storage, put('a', '2'));
      const old = await storage.get('a', { revision: first });
      expect(old).toMatchObject({ revision: first, record: { revision: first } });
      const scan = await storage.scan(ALL, { revision: first });
      expect(scan.revision).toBe(first);
      expect(scan.records.map((one) => one.revision)).toEqual([first]);
      expect((await storage.get('a')).record?.revision).toBe(second);
    },
  },
  {
    name: 'a paged range at one revision does not see later writes',
    run: async ({ storage }) => {
      const { revisions } = await storage.commit(['a', 'b', 'c', 'd'].map((key) => put(key)));
      const revision = at(revisions, -1);
      const first = await storage.scan(ALL, { revision, limit: 2 });
      await storage.commit([remove('c'), put('cc'), put('d', 'changed')]);
      const second = await storage.scan({ start: 'b\u0000', end: ALL.end }, { revision, limit: 2 });
      expect([...first.records, ...second.records].map((one) => one.value.toString())).toEqual([
        'a',
        'b',
        'c',
        'd',
      ]);
      expect([first.more, second.more]).toEqual([true, false]);
    },
  },
  {
    name: 'limits of old ranges count the records at that revision',
    run: async ({ storage }) => {
      await storage.commit(['a', 'b', 'c', 'd'].map((key) => put(key)));
      const revision = at((await storage.commit([remove('b'), put('e')])).revisions, -1);
      await storage.commit([put('b', 'again'), remove('c'), remove('d'), remove('e')]);
      const { records, more } = await storage.scan(ALL, { revision, limit: 3 });
      expect(records.map((one) => one.key)).toEqual(['a', 'c', 'd']);
      expect(more).toBe(true);
      expect((await storage.scan(ALL, { revision, limit: 4 })).more).toBe(false);
    },
  },
  {
    name: 'a revision after the newest is a future revision',
    run: async ({ storage }) => {
      const newest = await commitOne(storage, put('a'));
      const revision = newest + 64_000;
      const expected = { code: 'future revision', revision };
      const failure = await failureOf(storage.get('a', { revision }));
      expect(failure).toMatchObject(expected);
      if (failure.code === 'future revision') expect(failure.current).toBeGreaterThanOrEqual(newest);
      expect(await failureOf(storage.scan(ALL, { revision }))).toMatchObject(expected);
    },
  },
  {
    name: 'revisions below the first are compacted',
    run: async ({ storage }) => {
      await commitOne(storage, put('a'));
      for (const revision of [1, FIRST_REVISION - 1]) {
        const expected = { code: 'compacted', revision };
        expect(await failureOf(storage.get('a', { revision }))).toMatchObject(expected);
        expect(await failureOf(storage.scan(ALL, { revision }))).toMatchObject(expected);
      }
    },
  },
  {
    name: 'compaction ends reads before its revision, and keeps that revision and later ones',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('a', '1'));
      await storage.commit([put('b', '1'), put('gone', '1')]);
      await commitOne(storage, remove('gone'));
      const kept = await commitOne(storage, put('a', '2'));
      const last = await commitOne(storage, put('a', '3'));
      await storage.compact(kept);
      for (const revision of [first, kept - 1]) {
        const failure = await failureOf(storage.get('a', { revision }));
        expect(failure).toMatchObject({ code: 'compacted', revision });
        if (failure.code === 'compacted') expect(failure.oldest).toBeGreaterThan(revision);
        expect((await failureOf(storage.scan(ALL, { revision }))).code).toBe('compacted');
      }
      expect(await stateOf(storage, ALL, kept)).toEqual(['a=2', 'b=1']);
      expect(await stateOf(storage, ALL, last)).toEqual(['a=3', 'b=1']);
      expect(await stateOf(storage)).toEqual(['a=3', 'b=1']);
    },
  },
  {
    name: 'compaction at a revision inside a commit keeps the rest of it',
    run: async ({ storage }) => {
      await storage.commit([put('a', '1'), put('b', '1'), put('c', '1')]);
      const { revisions } = await storage.commit([put('a', '2'), put('b', '2'), remove('c')]);
      await storage.compact(at(revisions, 1));
      expect((await failureOf(storage.get('a', { revision: revisions[0] }))).code).toBe('compacted');
      expect(await stateOf(storage, ALL, revisions[1])).toEqual(['a=2', 'b=2', 'c=1']);
      expect(await stateOf(storage, ALL, revisions[2])).toEqual(['a=2', 'b=2']);
    },
  },
  {
    name: 'compaction at the same or an older revision changes nothing',
    run: async ({ storage }) => {
      const first = await commitOne(storage, put('a', '1'));
      const kept = await commitOne(storage, put('a', '2'));
      await storage.compact(kept);
      await storage.compact(kept);
      await storage.compact(first);
      expect((await failureOf(storage.get('a', { revision: first }))).code).toBe('compacted');
      expect(await valueOf(storage, 'a', kept)).toBe('2');
    },
  },
  {
    name: 'compaction at the newest revision keeps the state, and commits continue',
    run: async ({ storage }) => {
      const revision = await commitOne(storage, put('a', '1'));
      await storage.commit([put('b', '1')]);
      await storage.compact(await storage.currentRevision());
      expect(await stateOf(storage)).toEqual(['a=1', 'b=1']);
      expect(await commitOne(storage, put('a', '2', revision))).toBeGreaterThan(revision);
    },
  },
];
