/** Edits of a project, and suggestions for them. */
import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../status.js';
import { memberFaults, rolesOf, withRoles } from './projectmembers.js';
import { roleOf } from './projectroles.js';
import { changesOf, faultField, limitedOf, objectsOf, quotaPatch, type Limited } from './quotas.js';
import { lastOf, matching } from '../../ui/suggest/suggestions.js';
import { parseExact } from '../../../../api/exactjson.js';

describe('members of a project', () => {
  const bob = { kind: 'User', name: 'bob' } as const;
  const of = (person: typeof bob | { kind: 'Team'; name: string }, clusterRole: string) => ({
    ...person,
    clusterRole,
  });
  // A team may have the name of a user.
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

  test('errors of the server are shown beside the name or the role', () => {
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

describe('quotas of a project', () => {
  const quotas = { instances: 4, objects: { 'sharedsecrets.management.svc.example': 5, configmaps: 2 } };
  const [instances, secretBytes, configMaps] = limitedOf(quotas) as [Limited, Limited, Limited];

  test('every limit has a field', () => {
    expect(limitedOf(quotas).map(faultField)).toEqual([
      'spec.quotas.instances',
      'spec.quotas.secretBytes',
      'spec.quotas.objects[configmaps]',
      'spec.quotas.objects[sharedsecrets.management.svc.example]',
    ]);
  });

  test('sends only differences: an empty limit is removed, and any other text is sent as it is', () => {
    const typed = [
      [instances, ' 4 '],
      [secretBytes, '12x'],
      [configMaps, ''],
      [objectsOf('secrets'), '7'],
      [objectsOf('secrets'), '8'],
      [objectsOf('__proto__'), '9007199254740993'],
    ] as const;
    const changes = changesOf(quotas, typed);
    expect(parseExact(JSON.stringify(quotaPatch(changes)))).toEqual(
      parseExact(
        '{"secretBytes":"12x","objects":{"configmaps":null,"secrets":8,"__proto__":9007199254740993}}',
      ),
    );
    expect(quotaPatch(changesOf(quotas, [[secretBytes, '-1']]))).toEqual({ secretBytes: -1 });
    expect(quotaPatch([])).toEqual({});
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

test.each([
  ['', '', ''],
  ['bo', '', 'bo'],
  ['bob, ca', 'bob, ', 'ca'],
  ['bob,carl,', 'bob,carl, ', ''],
])('of %j the last is searched, and what is before it stays', (typed, before, last) => {
  expect(lastOf(typed)).toEqual({ before, last });
});
