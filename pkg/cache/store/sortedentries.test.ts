import { describe, expect, test } from '@jest/globals';
import type { Entry } from '../interface.js';
import { emptySortedEntries, compareSortKeys, sortKey } from './sortedentries.js';

const ODD = [
  'a',
  'z',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{10ffff}',
  'a\ue000',
  'a\u{10000}',
];

const entry = (path: string): Entry => ({ path }) as Entry;

describe('key order', () => {
  test('is the order of UTF-8 bytes', () => {
    const byBytes = [...ODD].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const bySortKey = [...ODD].sort((left, right) => compareSortKeys(sortKey(left), sortKey(right)));
    expect(bySortKey).toEqual(byBytes);
    expect(new Set(ODD.map(sortKey)).size).toBe(ODD.length);
  });
});

describe('sorted entries', () => {
  test('count by prefix like a scan, after additions and removals', () => {
    const entries = emptySortedEntries();
    const path = (n: number): string => `n${n % 7}/o${String((n * 7919) % 5000).padStart(5, '0')}`;
    for (let n = 0; n < 5000; n += 1) entries.set(path(n), entry(path(n)));
    const before = entries.clone();
    for (let n = 0; n < 5000; n += 3) entries.delete(path(n));
    for (const map of [before, entries]) {
      for (let n = 0; n < 5000; n += 131) {
        for (const prefix of ['', 'n3/', 'n9/', `${path(n).slice(0, 2)}/`]) {
          expect(map.count(prefix, path(n))).toBe([...map.entries(prefix, path(n))].length);
        }
      }
    }
    expect(before.size).toBe(5000);
    expect([...before.entries('')]).toHaveLength(5000);
    expect(entries.size).toBe([...entries.entries('')].length);
  });

  test('iterate over the state at the start', () => {
    const entries = emptySortedEntries();
    for (let n = 0; n < 100; n += 1) entries.set(`a/${n}`, entry(`a/${n}`));
    const walk = entries.clone().entries('a/');
    walk.next();
    for (let n = 0; n < 100; n += 1) entries.delete(`a/${n}`);
    expect([...walk]).toHaveLength(99);
  });
});
