/** The largest keys, values and commits pass, and one byte more does not. */
import { expect } from '@jest/globals';
import {
  MAX_COMMIT_BYTES,
  MAX_COMMIT_WRITES,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
  type StorageFailure,
  type Write,
} from '../../interface.js';
import { ALL, at, failureOf, put, remove, type StorageCase } from './case.js';

type TooLarge = Extract<StorageFailure, { code: 'too large' }>['what'];

function manyWrites(count: number): Write[] {
  return Array.from({ length: count }, (_, index) => put(`k${String(index).padStart(3, '0')}`));
}

/** Two puts whose keys and values have so many bytes together. */
function commitOf(bytes: number): Write[] {
  const first = Math.floor(bytes / 2);
  return [put('a', Buffer.alloc(first - 1, 1)), put('b', Buffer.alloc(bytes - first - 1, 2))];
}

interface Limit {
  readonly title: string;
  readonly what: TooLarge;
  readonly limit: number;
  readonly writes: (size: number) => Write[];
}

const LIMITS: readonly Limit[] = [
  {
    title: 'a key of ASCII',
    what: 'key',
    limit: MAX_KEY_BYTES,
    writes: (size) => [put('k'.repeat(size), 'v')],
  },
  {
    title: 'a key of characters of three bytes',
    what: 'key',
    limit: MAX_KEY_BYTES,
    writes: (size) => [put('\u4e2d'.repeat(Math.floor(size / 3)) + 'k'.repeat(size % 3), 'v')],
  },
  {
    title: 'a value',
    what: 'value',
    limit: MAX_VALUE_BYTES,
    writes: (size) => [put('k', Buffer.alloc(size, 7))],
  },
  { title: 'the writes of a commit', what: 'writes', limit: MAX_COMMIT_WRITES, writes: manyWrites },
  { title: 'the bytes of a commit', what: 'commit', limit: MAX_COMMIT_BYTES, writes: commitOf },
];

export const limitCases: readonly StorageCase[] = [
  ...LIMITS.map(({ title, what, limit, writes }): StorageCase => ({
    name: `${title} up to the limit is stored completely`,
    run: async ({ storage }) => {
      const given = writes(limit);
      const { revisions } = await storage.commit(given);
      expect(revisions).toHaveLength(given.length);
      const { records } = await storage.scan(ALL);
      expect(records.map((one) => one.key)).toEqual(given.map((write) => write.key));
      for (const [index, record] of records.entries()) {
        expect(record.value.equals(at(given, index).value ?? Buffer.alloc(0))).toBe(true);
      }
      expect(what).not.toBe('');
    },
  })),
  ...LIMITS.map(({ title, what, limit, writes }): StorageCase => ({
    name: `${title} past the limit is refused as too large`,
    run: async ({ storage }) => {
      expect(await failureOf(storage.commit(writes(limit + 1)))).toEqual({ code: 'too large', what, limit });
      expect((await storage.scan(ALL)).records).toEqual([]);
    },
  })),
  {
    name: 'a commit of as many deletes as writes are allowed',
    run: async ({ storage }) => {
      const writes = manyWrites(MAX_COMMIT_WRITES);
      await storage.commit(writes);
      await storage.commit(writes.map((write) => remove(write.key, 'present')));
      expect((await storage.scan(ALL)).records).toEqual([]);
    },
  },
  {
    name: 'concurrent large commits all succeed',
    run: async ({ storage }) => {
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
      await Promise.all(keys.map((key) => storage.commit([put(key, Buffer.alloc(1_000_000, key))])));
      const { records } = await storage.scan(ALL);
      expect(records.map((one) => [one.key, one.value.equals(Buffer.alloc(1_000_000, one.key))])).toEqual(
        keys.map((key) => [key, true]),
      );
    },
  },
];
