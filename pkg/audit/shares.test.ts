import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { LeftOut } from './sampling.js';
import { AuditShares, hourlyShare } from './shares.js';

const WEEK_HOURS = 168;
const LINE = 700;
const LOG = { maxBytes: 100 * 1024 * 1024, maxBackups: 10 };

let told: LeftOut[];
beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
  told = [];
});
afterEach(() => {
  jest.useRealTimers();
});

const shares = (hour: number): AuditShares => new AuditShares(hour, (left) => told.push(left));
/** The number of lines that were taken. */
const taken = (of: AuditShares, times: number, isRead: boolean, user = 'eve'): number =>
  Array.from({ length: times }, () => of.takes(user, LINE, isRead)).filter(Boolean).length;

test('one user leaves a third of the log to everybody else for a week', () => {
  const hour = hourlyShare(LOG);
  const of = shares(hour);
  let bytes = 0;
  for (let passed = 0; passed < WEEK_HOURS; passed += 1) {
    bytes += taken(of, 10_000, false) * LINE;
    jest.advanceTimersByTime(3_600_000);
  }
  expect(bytes).toBeLessThan(LOG.maxBytes * 11 * 0.7);
  // 10,000 changes an hour are more than a share.
  expect(of.leftOut().changes).toBeGreaterThan(0);
});

test('leaves out reads before changes, and tells how many', () => {
  const of = shares(100 * LINE);
  expect(taken(of, 1_000, true)).toBe(50);
  expect(taken(of, 1_000, false)).toBe(50);
  expect(of.leftOut()).toEqual({ reads: 950, changes: 950 });
  expect(taken(of, 10, true, 'anna')).toBe(10);
  jest.advanceTimersByTime(10_000);
  expect(told).toEqual([{ caller: 'eve', count: 1_900, changes: 950, since: 1_000_000 }]);
});

test('keeps the changes of a user who has read without end', () => {
  const of = shares(100 * LINE);
  for (let passed = 0; passed < 10; passed += 1) {
    taken(of, 1_000, true);
    expect(taken(of, 5, false)).toBe(5);
    jest.advanceTimersByTime(600_000);
  }
});

test('an unlimited log has the shares of the default one', () => {
  expect(hourlyShare({ maxBytes: 0, maxBackups: 10 })).toBe(hourlyShare(LOG));
  expect(hourlyShare({ ...LOG, maxBackups: 0 })).toBe(hourlyShare(LOG));
});
