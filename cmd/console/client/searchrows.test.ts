import { expect, test } from '@jest/globals';
import type { Row } from './forms.js';
import { newestRows, placeName, searchRows, sorted } from './searchrows.js';

const row = (name: string, cells: Record<string, string> = {}, creationTimestamp = ''): Row => ({
  resource: 'r',
  cells,
  metadata: { namespace: 'n', name, creationTimestamp },
});
const SEARCHED = ['Owner'];

test('every word is found in the key or a cell that is searched, in any case', () => {
  const rows = [
    row('b', { Owner: 'Ada', Other: 'x' }),
    row('a', { Owner: 'bob' }),
    row('ab', { Owner: 'ada' }),
  ];
  const found = (text: string) => searchRows(rows, text, SEARCHED).map(placeName);
  expect(found('')).toEqual(['n/a', 'n/ab', 'n/b']);
  expect(found('ADA')).toEqual(['n/ab', 'n/b']);
  expect(found('ada n/a')).toEqual(['n/ab']);
  expect(found('x')).toEqual([]);
});

test('a row that has changed is searched as it is now', () => {
  const rows = [row('a', { Owner: 'ada' })];
  expect(searchRows(rows, 'ada', SEARCHED)).toHaveLength(1);
  expect(searchRows([row('a', { Owner: 'bob' })], 'ada', SEARCHED)).toHaveLength(0);
  expect(searchRows(rows, 'ada', [])).toHaveLength(0);
});

test('the newest come first', () => {
  const rows = ['2026-01-02', '2026-01-04', '', '2026-01-01', '2026-01-03'].map((at) =>
    row(at || 'none', {}, at),
  );
  expect(newestRows(rows, 3).map(({ metadata }) => metadata.name)).toEqual([
    '2026-01-04',
    '2026-01-03',
    '2026-01-02',
  ]);
  expect(newestRows(rows.slice(0, 1), 3)).toHaveLength(1);
});

test.each([
  [['b', 'A', 'c'], false, ['A', 'b', 'c']],
  [['b', 'A', 'c'], true, ['c', 'b', 'A']],
  [['10', '9', ''], false, ['', '9', '10']],
  [['2026-01-02T00:00:00Z', '2025-12-31T00:00:00Z'], false, ['2025-12-31T00:00:00Z', '2026-01-02T00:00:00Z']],
])('%j, descending %s', (values, descending, expected) => {
  expect(sorted(values, (value) => value, descending)).toEqual(expected);
});

test('items of the same value stay in their order', () => {
  const items = ['a1', 'b1', 'c1', 'd0'];
  const last = (item: string): string => item.slice(1);
  expect(sorted(items, last, false)).toEqual(['d0', 'a1', 'b1', 'c1']);
  expect(sorted(items, last, true)).toEqual(['a1', 'b1', 'c1', 'd0']);
});
