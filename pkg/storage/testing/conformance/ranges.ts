/** Reading keys and ranges of the newest state. */
import { expect } from '@jest/globals';
import { prefixEnd, type KeyRange, type Storage } from '../../interface.js';
import { ALL, at, fill, put, remove, stateOf, type StorageCase } from './case.js';

/** In the order of their UTF-8 bytes, which is not that of UTF-16 units: astral characters come after U+FFFD. */
const UNICODE_KEYS = [
  '\u0001',
  ' ',
  'Z',
  'a',
  'a/\u00e9',
  'a/\u4e2d\u6587',
  'a/\uff61',
  'a/\ufffd',
  'a/\u{10000}',
  'a/\u{1f600}',
  'a/\u{1f600}/b',
  'a0',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10fffe}',
];

const RANGES: readonly (readonly [title: string, range: KeyRange, keys: readonly string[]])[] = [
  ['all', ALL, ['a', 'a/1', 'a/2', 'a/3', 'a0', 'b/1']],
  ['a prefix', { start: 'a/', end: prefixEnd('a/') }, ['a/1', 'a/2', 'a/3']],
  ['start inclusive, end exclusive', { start: 'a/1', end: 'a/3' }, ['a/1', 'a/2']],
  ['start right after a key', { start: 'a/1\u0000', end: 'a/4' }, ['a/2', 'a/3']],
  ['bounds between keys', { start: 'a/15', end: 'a/25' }, ['a/2']],
  ['nothing there', { start: 'c', end: 'd' }, []],
  ['start equal to end', { start: 'a/1', end: 'a/1' }, []],
  ['start after end', { start: 'b', end: 'a' }, []],
];

async function pages(storage: Storage, range: KeyRange, limit: number): Promise<string[][]> {
  const found: string[][] = [];
  let start = range.start;
  for (;;) {
    const { records, more } = await storage.scan({ start, end: range.end }, { limit });
    found.push(records.map((one) => one.key));
    if (!more) return found;
    expect(records).toHaveLength(limit);
    start = `${at(records, -1).key}\u0000`;
  }
}

export const rangeCases: readonly StorageCase[] = [
  ...RANGES.map(([title, range, keys]): StorageCase => ({
    name: `a range: ${title}`,
    run: async ({ storage }) => {
      await storage.commit(['b/1', 'a/3', 'a0', 'a/1', 'a', 'a/2'].map((key) => put(key)));
      const result = await storage.scan(range);
      expect(result.records.map((one) => one.key)).toEqual(keys);
      expect(result.more).toBe(false);
    },
  })),
  {
    name: 'an empty store has no key and no range, at a revision',
    run: async ({ storage }) => {
      const { record, revision } = await storage.get('key');
      expect(record).toBeUndefined();
      expect(revision).toBeGreaterThan(0);
      expect(await storage.scan(ALL)).toMatchObject({ records: [], more: false });
    },
  },
  {
    name: 'limits truncate a range, and more says whether it continues',
    run: async ({ storage }) => {
      await storage.commit(['a', 'b', 'c', 'd', 'e'].map((key) => put(key)));
      expect(await pages(storage, ALL, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      expect(await pages(storage, ALL, 5)).toEqual([['a', 'b', 'c', 'd', 'e']]);
      expect(await pages(storage, { start: 'a', end: 'c' }, 1)).toEqual([['a'], ['b']]);
      expect((await storage.scan(ALL, { limit: 1 })).more).toBe(true);
    },
  },
  {
    name: 'keys of any Unicode are ordered by their UTF-8 bytes',
    run: async ({ storage }) => {
      const expected = [...UNICODE_KEYS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      await storage.commit([...UNICODE_KEYS].reverse().map((key) => put(key)));
      const { records } = await storage.scan(ALL);
      expect(records.map((one) => one.key)).toEqual(expected);
      expect(records.map((one) => one.value.toString())).toEqual(expected);
      const astral = await storage.scan({ start: 'a/\ufffd', end: 'a0' });
      expect(astral.records.map((one) => one.key)).toEqual([
        'a/\ufffd',
        'a/\u{10000}',
        'a/\u{1f600}',
        'a/\u{1f600}/b',
      ]);
    },
  },
  {
    name: 'values are bytes, empty or binary, and independent of each other',
    run: async ({ storage }) => {
      const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      await storage.commit([put('empty', Buffer.alloc(0)), put('binary', binary), put('text', 'text')]);
      expect((await storage.get('empty')).record?.value).toEqual(Buffer.alloc(0));
      expect((await storage.get('binary')).record?.value).toEqual(binary);
      const { records } = await storage.scan(ALL);
      expect(records.map((one) => one.value)).toEqual([binary, Buffer.alloc(0), Buffer.from('text')]);
    },
  },
  {
    name: 'deleted keys leave ranges, and may be created again',
    run: async ({ storage }) => {
      await storage.commit(['a', 'b', 'c'].map((key) => put(key)));
      await storage.commit([remove('b')]);
      expect(await stateOf(storage)).toEqual(['a=a', 'c=c']);
      await storage.commit([put('b', 'again', 'absent')]);
      expect(await stateOf(storage)).toEqual(['a=a', 'b=again', 'c=c']);
    },
  },
  {
    name: 'a range of 20,000 keys is complete, in order, and in pages at one revision',
    run: async ({ storage }) => {
      const keys = await fill(storage, 'many/', 20_000);
      const whole = await storage.scan({ start: 'many/', end: prefixEnd('many/') });
      expect(whole.records.map((one) => one.key)).toEqual(keys);
      expect(whole.more).toBe(false);
      expect((await pages(storage, ALL, 7_000)).map((page) => page.length)).toEqual([7_000, 7_000, 6_000]);
      await storage.commit([remove(at(keys, 0)), put(at(keys, 1), 'changed')]);
      const before = await storage.scan(ALL, { revision: whole.revision, limit: 2 });
      expect(before.records).toEqual(whole.records.slice(0, 2));
    },
  },
];
