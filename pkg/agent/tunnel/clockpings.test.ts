import { expect, test } from '@jest/globals';
import { clockPing, timeIn } from './clockpings.js';

test('a clock ping carries the time, and other pings do not', () => {
  for (const time of [0, 1, Date.UTC(1970, 1), Date.UTC(2026, 10, 26, 5, 7, 9, 123)])
    expect(timeIn(clockPing(time + 0.7))).toBe(time);
  expect(timeIn(clockPing(-5))).toBe(0);
  expect(timeIn(clockPing(Infinity))).toBe(8.64e15);
  for (const other of ['ffffffffffffffff', '001eb208c2dc0001', '00'])
    expect(timeIn(Buffer.from(other, 'hex'))).toBeUndefined();
});
