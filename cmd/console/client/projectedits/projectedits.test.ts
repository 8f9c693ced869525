/** What is changed of a project, and what is suggested for it. */
import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../status.js';
import { memberFaults, roleOf, rolesOf, withRoles } from './projectmembers.js';
import { matching } from './suggestions.js';

describe('members of a project', () => {
  const bob = { kind: 'User', name: 'bob' } as const;
  const of = (person: typeof bob | { kind: 'Team'; name: string }, clusterRole: string) => ({
    ...{ ...person, clusterRole },
  });
  // A team may be called as a user is.
  const members = [of(bob, 'a'), of({ kind: 'Team', name: 'bob' }, 'a'), of(bob, 'b')];

  test('the roles of one are set, and others stay', () => {
    expect(rolesOf(members, bob)).toEqual(['a', 'b']);
    expect(withRoles(members, bob, ['c'])).toEqual([of(bob, 'c'), members[1]]);
    expect(withRoles(members, bob, [])).toEqual([members[1]]);
    expect(withRoles([], bob, ['c', 'd'])).toEqual([of(bob, 'c'), of(bob, 'd')]);
  });

  test('a role has its short name alone', () => {
    expect(roleOf(['management-project-user'])).toBe('user');
    expect(roleOf(['management-project-owner'])).toBeUndefined();
    expect(roleOf(['management-project-user', 'other'])).toBeUndefined();
  });

  test('what the server says is shown beside the name or the role', () => {
    const causes = [
      { field: 'spec.members[1].name', message: 'one' },
      { field: 'spec.members[1].clusterRole', message: 'two' },
      { field: 'spec.members', message: 'three' },
      { field: 'spec.membership', message: 'four' },
    ];
    const error = errorOf(422, { kind: 'Status', details: { causes } });
    expect(memberFaults(error)).toEqual({ name: ['one', 'three'], role: ['two'] });
    expect(memberFaults(undefined)).toEqual({ name: [], role: [] });
  });
});

test('suggestions are searched word by word, and their beginnings come first', () => {
  const all = [
    { id: 'ada', text: 'Bob’s friend' },
    { id: 'bob', text: '' },
    { id: 'carl', text: 'Carl of the Shop' },
  ];
  const found = (typed: string): string[] => matching(all, typed).map(({ id }) => id);
  expect(found('')).toEqual(['ada', 'bob', 'carl']);
  expect(found('BOB')).toEqual(['bob', 'ada']);
  expect(found('shop of')).toEqual(['carl']);
  expect(found('nobody')).toEqual([]);
});
