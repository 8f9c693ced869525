import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NOWHERE, UnorderedSet } from './unorderedset.js';

const made = (count: number) => Array.from({ length: count }, (_, name) => ({ name, place: NOWHERE }));

describe('an unordered set', () => {
  test('has what a Set would have after any changes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), (changes) => {
        const members = made(10);
        const [set, model] = [new UnorderedSet<(typeof members)[number]>(), new Set<object>()];
        for (const change of changes) {
          const member = members[change] as (typeof members)[number];
          if (model.has(member)) {
            model.delete(member);
            expect(set.delete(member)).toBe(true);
          } else {
            model.add(member);
            set.add(member);
          }
        }
        expect(set.size).toBe(model.size);
        expect(new Set(set)).toEqual(model);
      }),
    );
  });

  test('answers whether it had what is deleted', () => {
    const [one, other] = [{ place: NOWHERE }, { place: NOWHERE }];
    const set = new UnorderedSet();
    set.add(one);
    expect([set.delete(other), set.delete(one), set.delete(one)]).toEqual([false, true, false]);
  });

  test('an iteration misses none that stays, whatever is deleted meanwhile', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19)), fc.nat(19), (deleted, at) => {
        const members = made(20);
        const set = new UnorderedSet<(typeof members)[number]>();
        for (const member of members) set.add(member);
        const told = new Set<object>();
        let steps = 0;
        for (const member of set) {
          told.add(member);
          if (steps++ === at) for (const each of deleted) set.delete(members[each] as typeof member);
        }
        for (const member of set) expect(told.has(member)).toBe(true);
      }),
    );
  });
});
