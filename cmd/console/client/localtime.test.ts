import { expect, test } from '@jest/globals';
import { isoOf, localText, type WallClock } from './localtime.js';

const clock = (...parts: readonly [number, number, number, number, number, number]): WallClock => ({
  getFullYear: () => parts[0],
  getMonth: () => parts[1] - 1,
  getDate: () => parts[2],
  getHours: () => parts[3],
  getMinutes: () => parts[4],
  getSeconds: () => parts[5],
});

test.each([
  [clock(2026, 1, 31, 9, 5, 0), '2026-01-31T09:05'],
  [clock(2026, 1, 31, 9, 5, 7), '2026-01-31T09:05:07'],
  [clock(20, 12, 1, 0, 0, 0), '0020-12-01T00:00'],
  [clock(0, 1, 1, 0, 0, 0), ''],
  [clock(10_000, 1, 1, 0, 0, 0), ''],
  [new Date('no time'), ''],
])('a clock on the wall is shown as %s', (at, text) => {
  expect(localText(at)).toBe(text);
});

test('a local time stays as it was typed, in every year', () => {
  for (let year = 1; year <= 9998; year += 1) {
    const typed = `${String(year).padStart(4, '0')}-07-01T12:34`;
    expect(localText(new Date(isoOf(typed)))).toBe(typed);
  }
});

test.each(['', 'no time', '2026-13-01T00:00', '123456-01-01T00:00'])('%j is no time of RFC 3339', (local) => {
  expect(isoOf(local)).toBe('');
});
