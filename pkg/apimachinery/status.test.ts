import { expect, test } from '@jest/globals';
import { alreadyExists, failure, generateNameExhausted } from './errors.js';

const RESOURCE = { group: '', plural: 'secrets' };

test.each([
  ['where its details ask for one', failure('ServiceUnavailable', 'no', { retryAfterSeconds: 7 }), '7'],
  ['where all names are taken', generateNameExhausted(RESOURCE, 'a'), '1'],
  ['not of none', failure('ServiceUnavailable', 'no', { retryAfterSeconds: 0 }), undefined],
  ['not without details', failure('ServiceUnavailable', 'no'), undefined],
  ['not of others', alreadyExists(RESOURCE, 'a'), undefined],
])('sets Retry-After %s', (_name, { headers }, seconds) => {
  expect(headers['Retry-After']).toBe(seconds);
});
