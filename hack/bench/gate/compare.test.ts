import { expect, test } from '@jest/globals';
import { compare, decide, median } from './compare.js';

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

test.each<[string, number[], number[], 'passes' | 'fails' | undefined]>([
  ['one that is not known yet', [1, 1], [9, 9], undefined],
  ['one whose middle round is no dearer', [1, 1, 1], [9, 1.4, 1], 'passes'],
  ['one whose first rounds are dearer', [1, 1, 1], [2, 2, 1], undefined],
  ['one that is dearer in the middle alone', Array<number>(9).fill(1), [2, 2, 2, 2, 2, 2, 1, 1, 1], 'passes'],
  ['one that is dearer nearly always', Array<number>(9).fill(1), [2, 2, 2, 2, 2, 2, 2, 1, 1], 'fails'],
])('decides about %s', (_name, base, change, decision) => {
  expect(decide(base, change, 0.5)).toBe(decision);
});
