/** Commits that run at the same time. */
import { expect } from '@jest/globals';
import { StorageError, type Storage } from '../../interface.js';
import { ALL, commitOne, failureOf, put, remove, valueOf, type StorageCase } from './case.js';

const WRITERS = 64;

async function increment(storage: Storage): Promise<void> {
  for (;;) {
    const { record } = await storage.get('counter');
    const next = String(Number(record?.value.toString() ?? '0') + 1);
    try {
      await storage.commit([put('counter', next, record?.revision ?? 'absent')]);
      return;
    } catch (error) {
      if (!(error instanceof StorageError) || !mayTryAgain(error)) throw error;
    }
  }
}

/** Another was faster; or a busy machine had no answer in time, and nothing was written. */
const mayTryAgain = ({ failure }: StorageError): boolean =>
  failure.code === 'conflict' ||
  failure.code === 'exists' ||
  (failure.code === 'unavailable' && failure.outcome === 'none');

/** Runs the commits at once; answers how many succeeded. Failures other than of an expectation are thrown. */
async function successes(commits: readonly Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(commits);
  for (const one of settled) {
    if (one.status === 'fulfilled') continue;
    expect(['exists', 'not found', 'conflict']).toContain((await failureOf(Promise.reject(one.reason))).code);
  }
  return settled.filter((one) => one.status === 'fulfilled').length;
}

const WRITE_SKEW: StorageCase = {
  name: 'of two concurrent commits that each guard what the other writes, exactly one succeeds',
  run: async ({ storage }) => {
    for (let round = 0; round < 30; round++) {
      const [a, b] = [`a${round}`, `b${round}`];
      const done = await successes([
        storage.commit([put(a, 'x', 'absent')], [{ key: b, expect: 'absent' }]),
        storage.commit([put(b, 'x', 'absent')], [{ key: a, expect: 'absent' }]),
      ]);
      expect(done).toBe(1);
    }
  },
};

export const concurrencyCases: readonly StorageCase[] = [
  WRITE_SKEW,
  {
    name: 'of two concurrent deletes that each require the other key, exactly one succeeds',
    run: async ({ storage }) => {
      for (let round = 0; round < 30; round++) {
        const [a, b] = [`a${round}`, `b${round}`];
        await storage.commit([put(a), put(b)]);
        const done = await successes([
          storage.commit([remove(a)], [{ key: b, expect: 'present' }]),
          storage.commit([remove(b)], [{ key: a, expect: 'present' }]),
        ]);
        expect(done).toBe(1);
      }
    },
  },
  {
    name: 'of many concurrent creates of one key, exactly one succeeds',
    run: async ({ storage }) => {
      const commits = Array.from({ length: WRITERS }, (_, writer) =>
        commitOne(storage, put('k', `${writer}`, 'absent')),
      );
      expect(await successes(commits)).toBe(1);
    },
  },
  {
    name: 'a failing commit does not affect concurrent commits',
    run: async ({ storage }) => {
      const good = Array.from({ length: 20 }, (_, writer) => commitOne(storage, put(`good${writer}`)));
      const bad = Array.from({ length: 20 }, (_, writer) =>
        failureOf(storage.commit([put(`bad${writer}`)], [{ key: 'missing', expect: 'present' }])),
      );
      await Promise.all([...good, ...bad]);
      const { records } = await storage.scan(ALL);
      expect(records.every((one) => one.key.startsWith('good'))).toBe(true);
      expect(records).toHaveLength(20);
    },
  },
  {
    name: '64 writers on one counter lose nothing',
    run: async ({ storage }) => {
      await Promise.all(Array.from({ length: WRITERS }, () => increment(storage)));
      expect(await valueOf(storage, 'counter')).toBe(String(WRITERS));
    },
  },
  {
    name: 'every write of concurrent commits has a revision of its own, which reads show',
    run: async ({ storage }) => {
      const commits = Array.from({ length: 100 }, (_, one) => {
        const keys = Array.from({ length: 1 + (one % 4) }, (_unused, part) => `k${one}/${part}`);
        return storage.commit(keys.map((key) => put(key))).then(({ revisions }) => ({ keys, revisions }));
      });
      const done = await Promise.all(commits);
      const expected = new Map(
        done.flatMap(({ keys, revisions }) => keys.map((key, part) => [key, revisions[part]])),
      );
      const { records, revision } = await storage.scan(ALL);
      expect(new Map(records.map((one) => [one.key, one.revision]))).toEqual(expected);
      expect(new Set(expected.values()).size).toBe(expected.size);
      expect(revision).toBeGreaterThanOrEqual(Math.max(...records.map((one) => one.revision)));
    },
  },
  {
    name: 'a read after an answered commit sees it, and so does the current revision',
    run: async ({ storage }) => {
      await Promise.all(
        Array.from({ length: 32 }, async (_, writer) => {
          for (let step = 0; step < 5; step++) {
            const revision = await commitOne(storage, put(`k${writer}`, `${step}`));
            expect(await valueOf(storage, `k${writer}`)).toBe(`${step}`);
            expect(await storage.currentRevision()).toBeGreaterThanOrEqual(revision);
          }
        }),
      );
    },
  },
];
