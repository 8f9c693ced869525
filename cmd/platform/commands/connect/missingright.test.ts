import { expect, test } from '@jest/globals';
import { refusal } from '../../connection/request.js';
import { Failure } from '../../failure.js';
import { withMissingRight } from './missingright.js';

const SERVER = 'https://platform.example';

test('a right that somebody lacks is told with its server and who has it', () => {
  const said =
    'clusters.management.svc.example is forbidden: User "anna" cannot create resource "clusters" in API group "management.svc.example" at the cluster scope';
  expect(withMissingRight(refusal(403, said), SERVER)).toMatchObject({
    reason: 'forbidden',
    said: '"anna" may not create clusters at https://platform.example',
    advice: expect.stringContaining('"platform who-can create cluster"') as unknown,
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
