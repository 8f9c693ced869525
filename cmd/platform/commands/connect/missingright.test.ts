import { expect, test } from '@jest/globals';
import { Failure } from '../../failure.js';
import { withMissingRight } from './missingright.js';

const SERVER = 'https://platform.example';
const said = (what: string): unknown =>
  withMissingRight(
    new Failure('forbidden', `the server answers 403: x is forbidden: User "anna" cannot ${what}`),
    SERVER,
  );

test.each([
  [
    'create resource "clusters" in API group "management.svc.example" at the cluster scope',
    'user "anna" may not create clusters at https://platform.example',
    'platform who-can create clusters"',
  ],
  [
    'create resource "clusters/join" in API group "management.svc.example" at the cluster scope',
    'user "anna" may not create clusters/join at',
    'platform who-can create clusters/join"',
  ],
  [
    'get resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
    'user "anna" may not get clusterroles at',
    'platform who-can get clusterroles.rbac.authorization.k8s.io"',
  ],
  [
    'create resource "secrets" in API group "" in the namespace "management-system"',
    'user "anna" may not create secrets in the namespace management-system at',
    'platform who-can create secrets. --namespace management-system"',
  ],
])('User cannot %s', (what, right, command) => {
  expect(said(what)).toMatchObject({
    reason: 'forbidden',
    message: expect.stringContaining(right) as unknown,
    advice: expect.stringContaining(command) as unknown,
  });
});

test('what it does not know keeps the text of the server, and other failures stay as they are', () => {
  const error = new Failure('forbidden', 'attempting to grant more than is held');
  expect(withMissingRight(error, SERVER)).toMatchObject({
    message: expect.stringMatching(
      /https:\/\/platform\.example .*attempting .*ask an administrator/,
    ) as unknown,
  });
  const other = new Failure('notFound', 'no');
  expect(withMissingRight(other, SERVER)).toBe(other);
});
