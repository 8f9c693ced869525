import { gunzipSync, crc32 } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Entry } from '../../../cache/interface.js';
import { entryOf } from '../../../registry/resourcestore.js';
import { createBlockCache } from './blockcache.js';
import { entryBlocks } from './blocks.js';
import { combineCrc32, crc32Shift } from './crc32combine.js';
import { gzipList } from './gziplist.js';

const HEAD = Buffer.from('{"items":[');
const TAIL = Buffer.from(']}\n');

const join = (entries: readonly Entry[]): Buffer =>
  Buffer.from(entries.map(({ bytes }) => bytes.toString()).join(','));

async function gzipped(list: readonly Entry[], cache = createBlockCache(1 << 20)): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const parts = { head: HEAD, blocks: entryBlocks(list), join: joined, tail: TAIL };
  for await (const chunk of gzipList(parts, cache)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
const joined = ({ entries }: { entries: readonly Entry[] }): Buffer => join(entries);

const plain = (list: readonly Entry[]): string => Buffer.concat([HEAD, join(list), TAIL]).toString();

const entry = (index: number, revision: number, text: string): Entry =>
  entryOf({ namespace: '', name: `n${index}` }, revision, Buffer.from(JSON.stringify({ text })));

test('combines CRCs', () => {
  const parts = fc.tuple(fc.uint8Array({ maxLength: 5000 }), fc.uint8Array({ maxLength: 5000 }));
  fc.assert(
    fc.property(parts, ([a, b]) => {
      const whole = crc32(Buffer.concat([a, b]));
      expect(combineCrc32(crc32(a), crc32(b), crc32Shift(b.length))).toBe(whole);
    }),
  );
});

describe('a compressed list', () => {
  test('is the gzip of the plain bytes, with and without the cache, after any change', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 });
    const changes = fc.array(fc.nat({ max: 59 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, changes, async (lengths, changed) => {
        const cache = createBlockCache(256 * 1024);
        const list = lengths.map((length, at) =>
          entry(at, 100 + at, 'é'.repeat(length % 7) + 'x'.repeat(length)),
        );
        expect(gunzipSync(await gzipped(list, cache)).toString()).toBe(plain(list));
        for (const [nth, at] of changed.entries()) {
          if (at < list.length) list[at] = entry(at, 1000 + nth, `changed ${nth}`);
          if (nth % 2 === 1) list.splice(at, 1);
          expect(gunzipSync(await gzipped(list, cache)).toString()).toBe(plain(list));
        }
      }),
      { numRuns: 30 },
    );
  });

  test('may be empty', async () => {
    expect(gunzipSync(await gzipped([])).toString()).toBe('{"items":[]}\n');
  });

  test('may have a head longer than one stored block', async () => {
    const head = Buffer.alloc(200_000, 'h');
    const chunks: Buffer[] = [];
    const parts = { head, blocks: [], join: joined, tail: TAIL };
    for await (const chunk of gzipList(parts, createBlockCache(1))) chunks.push(chunk);
    expect(gunzipSync(Buffer.concat(chunks)).equals(Buffer.concat([head, TAIL]))).toBe(true);
  });
});

const thousand = (): Entry[] =>
  Array.from({ length: 1000 }, (_, at) => entry(at, 5000 + at * 3, `${at} `.repeat(300)));

const blockKeys = (list: readonly Entry[]): string[] =>
  Array.from(entryBlocks(list), ({ entries }) => entries.map(({ revision }) => revision).join());

describe('blocks', () => {
  test('hold all entries in order, each within the size limit', () => {
    const list = thousand();
    const blocks = [...entryBlocks(list)];
    expect(blocks.flatMap(({ entries }) => entries)).toEqual(list);
    expect(Math.max(...blocks.map(({ byteLength }) => byteLength))).toBeLessThan(200 * 1024);
    expect(blocks.length).toBeGreaterThan(5);
  });

  test.each<[string, (list: Entry[]) => void]>([
    ['changed', (list) => (list[500] = entry(500, 99_001, 'changed'))],
    ['deleted', (list) => list.splice(500, 1)],
    ['created', (list) => list.splice(500, 0, entry(5001, 99_003, 'new'))],
  ])('one %s object leaves most blocks alone', (_what, change) => {
    const list = thousand();
    const before = new Set(blockKeys(list));
    change(list);
    const after = blockKeys(list);
    const fresh = after.filter((key) => !before.has(key));
    expect(fresh.length).toBeGreaterThan(0);
    expect(fresh.length).toBeLessThanOrEqual(4);
  });
});

describe('the cache', () => {
  const block = (revisions: number[]) => ({
    entries: revisions.map((revision) => entry(revision, revision, 'x')),
    byteLength: 1,
  });
  const made = (size: number) => ({ deflated: Buffer.alloc(size), crc: 1, length: 1, shift: 1 });

  test('makes a block once for concurrent requests', async () => {
    const cache = createBlockCache(1000);
    let count = 0;
    const make = () => {
      count += 1;
      return Promise.resolve(made(10));
    };
    await Promise.all([cache.get(block([1, 2, 3]), make), cache.get(block([1, 2, 3]), make)]);
    await cache.get(block([1, 2, 3]), make);
    expect(count).toBe(1);
    await cache.get(block([1, 4, 3]), make);
    expect(count).toBe(2);
  });

  test('forgets a failure', async () => {
    const cache = createBlockCache(1000);
    await expect(cache.get(block([1]), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.get(block([1]), () => Promise.resolve(made(7)))).toEqual(made(7));
  });

  test('stays within its limit and keeps the blocks used last', async () => {
    const cache = createBlockCache(350);
    for (const revision of [1, 2, 3]) await cache.get(block([revision]), () => Promise.resolve(made(100)));
    await cache.get(block([1]), () => Promise.reject(new Error('it was there')));
    await cache.get(block([4]), () => Promise.resolve(made(100)));
    expect(cache.size()).toBeLessThanOrEqual(350);
    await cache.get(block([1]), () => Promise.reject(new Error('it was there')));
    await expect(cache.get(block([2]), () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  });
});
