import { expect, test } from '@jest/globals';
import { tokenBucket } from './tokenbucket.js';

test('allows the burst at once, then the rate', () => {
  let now = 0;
  const take = tokenBucket({ perSecond: 1_000, burst: 2 }, () => now);
  expect([take(), take(), take(), take()]).toEqual([0, 0, 1, 2]);
  now = 3;
  expect([take(), take()]).toEqual([0, 1]);
});
