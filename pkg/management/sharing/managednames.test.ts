import { expect, test } from '@jest/globals';
import { isManagedName, objectOfRole, roleName, representsObjectRights } from './managednames.js';

const UID = '01234567-89ab-4cde-8f01-23456789abcd';

test.each([
  [`management:sharedsecrets:a:${UID}:0`, true, true],
  ['management:sharedsecrets:a:0', true, false],
  ['management:anything:else:here', true, false],
  ['management:team:blue', false, false],
  ['management:::', true, false],
  ['management:project-member:view', true, false],
  ['management:basic-user', false, false],
  ['Management:sharedsecrets:a:0', false, false],
  ['my:management:sharedsecrets:a:0', false, false],
])('%s', (name, managed, ofObject) => {
  expect([isManagedName(name), representsObjectRights(name)]).toEqual([managed, ofObject]);
});

test.each([
  [roleName('teams', 'a.b', UID, 11), { plural: 'teams', name: 'a.b', uid: UID }],
  [`management:teams:a:${UID}:x`, undefined],
  ['management:teams:a:b:0', undefined],
])('parses the object of %s', (name, object) => {
  expect(objectOfRole(name)).toEqual(object);
});
