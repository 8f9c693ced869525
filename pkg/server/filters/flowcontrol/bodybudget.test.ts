import { expect, test } from '@jest/globals';
import { BodyBudget } from './bodybudget.js';
import { Overloaded } from './fairslots.js';
import type { Flow } from './shares.js';

const flow = (share: string, part = 1 / 2): Flow => ({ share, turn: '', part });
const ignore = (): void => undefined;

test('limits the bodies and bytes of a share, and frees those of ended bodies', () => {
  const budget = new BodyBudget({ bodies: 4, bytes: 100 });
  const first = budget.begin(flow('a'), ignore);
  const second = budget.begin(flow('a'), ignore);
  expect(() => budget.begin(flow('a'), ignore)).toThrow(Overloaded);
  first.grew(40);
  expect(() => second.grew(20)).toThrow(Overloaded);
  for (const each of [first, first, second]) each.over();
  expect(budget.counts()).toEqual({ bodies: 0, bytes: 0 });
});

test('rejects the newest body of the user with the most when the budget is spent', () => {
  const budget = new BodyBudget({ bodies: 3, bytes: 100 });
  const refused: string[] = [];
  const begin = (name: string, share: string) => budget.begin(flow(share, 1), () => void refused.push(name));
  begin('a1', 'a').grew(60);
  begin('a2', 'a');
  begin('b1', 'b');
  begin('c1', 'c').grew(30);
  expect(refused).toEqual(['a2']);
  begin('d1', 'd').grew(20);
  expect(refused).toEqual(['a2', 'a1']);
});

test('rejects the newest body of the turn with the most in a full share, unless it is the same turn', () => {
  const budget = new BodyBudget({ bodies: 8, bytes: 100 });
  const refused: string[] = [];
  const begin = (name: string, turn: string) =>
    budget.begin({ ...flow('strangers'), turn }, () => void refused.push(name));
  for (const name of ['a1', 'a2', 'a3', 'a4']) begin(name, 'a');
  expect(() => begin('a5', 'a')).toThrow(Overloaded);
  begin('b1', 'b');
  begin('c1', 'c');
  expect(refused).toEqual(['a4', 'a3']);
  expect(() => begin('b2', 'b')).toThrow(Overloaded);
  begin('d1', 'd');
  expect(() => begin('e1', 'e')).toThrow(Overloaded);
  expect([refused, budget.counts().bodies]).toEqual([['a4', 'a3', 'a2'], 4]);
});
