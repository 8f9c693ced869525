/** A small heap grows by a fixed amount between major collections, a large one as V8 decides. */
import { expect, test } from '@jest/globals';
import { growthPercent } from './v8flags.js';

const MIB = 1024 * 1024;

test.each([
  ['a heap that is nearly empty', 5, 300],
  ['that of a server without objects', 40, 160],
  ['that of 10,000 objects', 80, 80],
  ['a large one', 1_000, 0],
])('%s', (_what, megabytes, percent) => {
  expect(growthPercent(megabytes * MIB)).toBe(percent);
});
