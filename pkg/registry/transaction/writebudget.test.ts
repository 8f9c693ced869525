import { expect, test } from '@jest/globals';
import { BURST_BYTES, BYTES_PER_SECOND, WriteBudgets } from './writebudget.js';

const MIB = 1024 * 1024;
const user = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });
const write = { key: 'registry/a/b', value: Buffer.alloc(MIB), expect: 'any' } as const;

function opened() {
  let at = 0;
  const budgets = new WriteBudgets(() => at);
  const charge = (name: string): (() => void) => budgets.charge(user(name), [write]);
  const taken = (name: string, times: number): number => {
    let count = 0;
    for (let n = 0; n < times; n += 1)
      try {
        charge(name);
        count += 1;
      } catch (error) {
        expect(error).toMatchObject({
          code: 429,
          headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
        });
      }
    return count;
  };
  return { budgets, charge, taken, pass: (seconds: number) => void (at += seconds * 1000) };
}

test('a user writes a burst at once, and then some bytes a second', () => {
  const { taken, pass } = opened();
  expect(taken('eve', 100)).toBe(BURST_BYTES / MIB);
  pass(10);
  expect(taken('eve', 100)).toBeLessThanOrEqual((10 * BYTES_PER_SECOND) / MIB);
  pass(1_000);
  expect(taken('eve', 100)).toBe(BURST_BYTES / MIB);
});

test('each user has a budget, and a commit that fails is not charged', () => {
  const { charge, taken } = opened();
  for (let n = 0; n < 100; n += 1) charge('eve')();
  expect([taken('eve', 100), taken('anna', 3)]).toEqual([BURST_BYTES / MIB, 3]);
});

test('administrators, and the server itself, have no limit', () => {
  const { budgets } = opened();
  for (const writer of [
    user('admin', 'system:masters'),
    user('system:apiserver'),
    { ...user('system:serviceaccount:a:b'), internal: true as const },
  ])
    for (let n = 0; n < 100; n += 1) budgets.charge(writer, [write]);
});

test('bounds the memory of many users', () => {
  const { budgets, pass } = opened();
  for (let n = 0; n < 30_000; n += 1)
    try {
      budgets.charge(user(`user-${n}`), [write]);
    } catch {
      // They share what is left.
    }
  pass(1_000);
  expect(() => budgets.charge(user('late'), [write])).not.toThrow();
});
