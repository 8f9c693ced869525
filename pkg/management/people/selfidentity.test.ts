import { expect, test } from '@jest/globals';
import { selfIdentityAuthorizer } from './selfidentity.js';

const GROUP = 'management.svc.example';
const authorizer = selfIdentityAuthorizer();
const anna = {
  name: 'anna',
  uid: '1',
  extra: {},
  groups: ['management:user:anna', 'management:team:red', 'management:authenticated'],
};
const stranger = { ...anna, groups: ['management:team:red'] };
const team = { ...anna, name: 'management:team:red' };

test.each([
  ['a user their own User', anna, 'get', 'users', '', 'anna', true],
  ['a user another User', anna, 'get', 'users', '', 'ben', false],
  ['a user a Team of theirs', anna, 'get', 'teams', '', 'red', true],
  ['a user another Team', anna, 'get', 'teams', '', 'blue', false],
  ['a user no name', anna, 'get', 'users', '', '', false],
  ['a user the status of their User', anna, 'get', 'users', 'status', 'anna', false],
  ['a user to write their User', anna, 'update', 'users', '', 'anna', false],
  ['a user all Users', anna, 'list', 'users', '', '', false],
  ['a user what is called as they are', anna, 'get', 'clusters', '', 'anna', false],
  ['a user of another system the User of that name', stranger, 'get', 'users', '', 'anna', false],
  ['a user of another system a Team of theirs', stranger, 'get', 'teams', '', 'red', false],
  ['a team itself', team, 'get', 'teams', '', 'red', true],
  ['a team a User called as it is', team, 'get', 'users', '', 'management:team:red', false],
] as const)('%s', async (_, user, verb, resource, subresource, name, allowed) => {
  const kind = { verb, group: GROUP, resource, subresource, namespace: '' };
  const decision = await authorizer.authorize(user, { ...kind, kind: 'resource', version: 'v1', name });
  expect(decision.allowed).toBe(allowed);
  const seen = authorizer.visible(user, kind);
  expect(seen.objects === 'names' && seen.names.has(name)).toBe(allowed);
});

test('rules contain both', async () => {
  const { resourceRules } = await authorizer.rulesFor(anna, '');
  expect(resourceRules.map(({ resources, resourceNames }) => [...resources, ...resourceNames])).toEqual([
    ['users', 'anna'],
    ['teams', 'red'],
  ]);
  expect((await authorizer.rulesFor(stranger, '')).resourceRules).toEqual([]);
});
