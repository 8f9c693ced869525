import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { afterIdle } from './idletimeout.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test.each([
  ['an idle loop: after the time', 1, 8_000],
  ['a loop that is busy for half of the time: later', 0.5, 15_000],
  ['a loop that is always busy: at the latest', 0, 60_000],
])('%s', (_name, share, expected) => {
  const began = Date.now();
  const now = (): number => Date.now() - began;
  const then = jest.fn();
  afterIdle({ ms: 8_000, longest: 60_000 }, then, {
    now,
    eventLoopUtilization: () => ({ idle: share * now() }),
  });
  jest.advanceTimersByTime(expected - 600);
  expect(then).not.toHaveBeenCalled();
  jest.advanceTimersByTime(1_200);
  expect(then).toHaveBeenCalledTimes(1);
});

test('a halt of the process counts as one step', () => {
  const clock = { now: 0 };
  const then = jest.fn();
  afterIdle({ ms: 8_000, longest: 60_000 }, then, {
    now: () => clock.now,
    eventLoopUtilization: () => ({ idle: clock.now }),
  });
  for (const now of [1_000, 30_000, 31_000, 32_000, 33_000, 34_000, 35_000]) {
    clock.now = now;
    jest.advanceTimersByTime(1_000);
  }
  expect(then).not.toHaveBeenCalled();
  clock.now = 36_000;
  jest.advanceTimersByTime(1_000);
  expect(then).toHaveBeenCalledTimes(1);
});

test('what ends it leaves no timer', () => {
  const then = jest.fn();
  const end = afterIdle({ ms: 2_000, longest: 60_000 }, then);
  jest.advanceTimersByTime(1_000);
  end();
  expect(jest.getTimerCount()).toBe(0);
  expect(then).not.toHaveBeenCalled();
});
