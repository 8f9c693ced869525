import { expect, test } from '@jest/globals';
import type { StatusError } from '../../apimachinery/errors.js';
import { StorageError } from '../../storage/interface.js';
import { unavailable, type ResourceStore } from '../resourcestore.js';

const store = { definition: { group: '', plural: 'secrets', kind: 'Secret' } } as ResourceStore;

test.each([
  [{}, 'ServerTimeout', 'The POST operation against secrets could not be completed at this time'],
  [{ asked: false }, 'ServiceUnavailable', 'the store of secrets cannot be reached'],
  [{ clients: 'cannot be written now' }, 'ServiceUnavailable', 'secrets cannot be written now'],
] as const)('reports a store that fails with %j', (more, reason, message) => {
  const failure = { code: 'unavailable', reason: 'hidden', outcome: 'none', ...more } as const;
  const { status, headers } = unavailable(store, 'POST', new StorageError(failure)) as StatusError;
  expect([status.reason, status.message]).toEqual([reason, expect.stringContaining(message)]);
  expect(status.message).not.toContain('hidden');
  expect(Number(headers['Retry-After'])).toBeGreaterThan(0);
});
