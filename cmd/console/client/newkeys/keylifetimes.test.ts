import { expect, test } from '@jest/globals';
import { nearestOf, possibleLifetimes, secondsOf } from './keylifetimes.js';

test.each([
  [undefined, ['hour', 'day', 'month', 'quarter', 'year', 'none']],
  [600, ['most']],
  [86_399, ['hour', 'most']],
  [90 * 86_400, ['hour', 'day', 'month', 'quarter']],
  [400 * 86_400, ['hour', 'day', 'month', 'quarter', 'year', 'most']],
])('a key that lives %s seconds at most is offered no longer life', (most, offered) => {
  expect(possibleLifetimes(most)).toEqual(offered);
  for (const lifetime of possibleLifetimes(most))
    expect(secondsOf(lifetime)).toBeLessThanOrEqual(most ?? Infinity);
});

test('what is not possible becomes the longest that is', () => {
  expect(nearestOf('month', possibleLifetimes(undefined))).toBe('month');
  expect(nearestOf('month', possibleLifetimes(7200))).toBe('most');
});
