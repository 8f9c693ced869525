import { expect, test } from '@jest/globals';
import { compare, median } from './compare.js';

test.each([
  [[], 0],
  [[3], 3],
  [[9, 1, 2], 2],
  [[4, 1, 2, 9], 3],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

test.each([
  [[100, 100, 500], [110, 110, 90], 0.1],
  [[100], [50], -0.5],
  [[], [1], 0],
])('from %j to %j costs %d more', (base, change, more) =>
  expect(compare(base, change).more).toBeCloseTo(more),
);
