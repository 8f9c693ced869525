import { clusterScoped } from '../../../api/resource.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entryOf } from '../../registry/resourcestore.js';
import { Indexes } from './indexes.js';
import type { Entry, IndexKey } from '../interface.js';
import { emptySortedEntries } from './sortedentries.js';
import { text } from '../testing/changes.js';

const COLOUR: IndexKey = { by: 'label', name: 'colour' };

const thing = (path: string, colour?: string): Entry =>
  entryOf(clusterScoped(path), 1, Buffer.from(JSON.stringify({ metadata: { labels: { colour } } })));
const indexed = (entry: Entry, { name }: IndexKey): string | undefined =>
  entry.object().metadata.labels?.[name];

function setUp() {
  const entries = emptySortedEntries();
  const indexes = new Indexes(entries, indexed);
  const change = (path: string, next: Entry | undefined): void => {
    const previous = entries.get(path);
    if (next === undefined) entries.delete(path);
    else entries.set(path, next);
    if (previous !== undefined || next !== undefined) indexes.replaced(previous, next);
  };
  const scan = (colour: string): string[] =>
    text(Array.from(entries.entries('')).filter((entry) => indexed(entry, COLOUR) === colour));
  const select = (colour: string): string[] | undefined => {
    const found = indexes.select(COLOUR, colour, 0);
    return found && text(found.entries(''));
  };
  return { indexes, change, scan, select };
}

describe('an index', () => {
  test('returns the result of a scan after any change', () => {
    const path = fc.constantFrom('a', 'b', 'c', 'd');
    const colour = fc.constantFrom('red', 'blue', 'none', 'gone');
    fc.assert(
      fc.property(fc.array(fc.tuple(path, colour)), fc.nat({ max: 5 }), (changes, first) => {
        const { change, scan, select } = setUp();
        for (const [nth, [where, what]] of changes.entries()) {
          if (nth === first) select('red');
          change(where, what === 'gone' ? undefined : thing(where, what === 'none' ? undefined : what));
          if (nth >= first)
            for (const each of ['red', 'blue', 'green']) expect(select(each)).toEqual(scan(each));
        }
      }),
    );
  });

  test('is built in slices, with the changes of the meantime', async () => {
    const { change, scan, select } = setUp();
    const pathOf = (at: number): string => `p${String(at).padStart(5, '0')}`;
    for (let at = 0; at < 5000; at += 1) change(pathOf(at), thing(pathOf(at), at % 2 === 0 ? 'red' : 'blue'));
    expect(select('red')).toBeUndefined();
    change(pathOf(0), thing(pathOf(0), 'blue'));
    change(pathOf(4998), thing(pathOf(4998), 'blue'));
    change(pathOf(4996), undefined);
    change(pathOf(4999), thing(pathOf(4999), 'red'));
    change('p9', thing('p9', 'red'));
    let turns = 0;
    while (select('red') === undefined && turns < 10) {
      turns += 1;
      await nextTurn();
    }
    expect(turns).toBeGreaterThan(0);
    expect(select('red')).toEqual(scan('red'));
    expect(select('blue')).toEqual(scan('blue'));
    expect(select('red')).toHaveLength(2499);
  });

  test('returns stable ranges', () => {
    const { indexes, change } = setUp();
    change('a', thing('a', 'red'));
    const before = indexes.select(COLOUR, 'red', 0);
    change('b', thing('b', 'red'));
    change('a', undefined);
    expect(text(before?.entries('') ?? [])).toEqual(['a']);
  });

  test('is dropped after a long time without use, and built again', () => {
    let looked = 0;
    const entries = emptySortedEntries();
    entries.set('a', thing('a', 'red'));
    const indexes = new Indexes(entries, (entry, key) => {
      looked += 1;
      return indexed(entry, key);
    });
    indexes.select(COLOUR, 'red', 0);
    indexes.trim(1000);
    indexes.select(COLOUR, 'red', 1000);
    expect(looked).toBe(1);
    indexes.trim(1_000_000);
    expect(text(indexes.select(COLOUR, 'red', 1_000_000)?.entries('') ?? [])).toEqual(['a']);
    expect(looked).toBe(2);
  });
});
