import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NOWHERE, UnorderedSet } from './unorderedset.js';

const made = (count: number) => Array.from({ length: count }, (_, name) => ({ name, place: NOWHERE }));

describe('an unordered set', () => {
  test('has the members of a Set after any changes', () => {
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

  test('returns whether a deleted member existed', () => {
    const [one, other] = [{ place: NOWHERE }, { place: NOWHERE }];
    const set = new UnorderedSet();
    set.add(one);
    expect([set.delete(other), set.delete(one), set.delete(one)]).toEqual([false, true, false]);
  });

  test('iterates over all remaining members during deletes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(19)), fc.nat(19), (deleted, at) => {
        const members = made(20);
        const set = new UnorderedSet<(typeof members)[number]>();
        for (const member of members) set.add(member);
        const visited = new Set<object>();
        let steps = 0;
        for (const member of set) {
          visited.add(member);
          if (steps++ === at) for (const each of deleted) set.delete(members[each] as typeof member);
        }
        for (const member of set) expect(visited.has(member)).toBe(true);
      }),
    );
  });
});
