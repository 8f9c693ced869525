import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createSampler, type LeftOut } from './sampling.js';

let told: LeftOut[];
beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
  told = [];
});
afterEach(() => {
  jest.useRealTimers();
});
const sampler = () => createSampler((left) => told.push(left));
const taken = (of: ReturnType<typeof sampler>, caller: string | undefined, times: number): number =>
  Array.from({ length: times }, () => of.allows(caller)).filter(Boolean).length;

test('records a burst, then one event a second, and counts the rest', () => {
  const one = sampler();
  expect(taken(one, undefined, 1_000)).toBe(300);
  expect(one.leftOut()).toEqual({ anonymous: 700, users: 0 });
  jest.advanceTimersByTime(10_000);
  expect(told).toEqual([{ caller: undefined, count: 700, since: 1_000_000 }]);
  expect(taken(one, undefined, 100)).toBe(10);
  jest.advanceTimersByTime(60_000);
  expect(told.map(({ count }) => count)).toEqual([700, 90]);
});

test('limits each caller separately', () => {
  const one = sampler();
  taken(one, undefined, 1_000);
  expect([taken(one, 'anna', 1_000), taken(one, 'ben', 10)]).toEqual([300, 10]);
  jest.advanceTimersByTime(10_000);
  expect(told.map(({ caller }) => caller)).toEqual([undefined, 'anna']);
});

test('bounds the memory of many callers', () => {
  const one = sampler();
  for (let at = 0; at < 10_000; at += 1) one.allows(`user-${at}`);
  expect(one.leftOut().users + one.leftOut().anonymous).toBeGreaterThan(7_000);
  jest.advanceTimersByTime(600_000);
  expect(one.allows('late')).toBe(true);
});
