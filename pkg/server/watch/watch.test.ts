import { expect, test } from '@jest/globals';
import { durationOf } from './watch.js';

test.each([
  [1, 1],
  [599, 599],
  [3_600, 3_600],
  [3_601, 3_600],
  [Number.MAX_SAFE_INTEGER, 3_600],
  [-1, 0],
  [Number.MIN_SAFE_INTEGER, 0],
])('a watch with timeoutSeconds %d lasts %d s', (timeoutSeconds, expected) => {
  expect(durationOf({ timeoutSeconds })).toBe(expected);
});

test.each([{}, { timeoutSeconds: 0 }])(
  'one that asks for none lasts between half an hour and an hour',
  (options) => {
    const seconds = Array.from({ length: 100 }, () => durationOf(options));
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1_800);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(3_600);
  },
);
