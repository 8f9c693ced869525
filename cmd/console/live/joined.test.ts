import { expect, test } from '@jest/globals';
import { ApiError } from '../client/status.js';
import { joined } from './joined.js';
import type { LiveState, LiveStatus } from './livelist.js';

const error = new ApiError(403, { message: 'no' });
const state = (status: LiveStatus, ...items: string[]): LiveState<string> => ({
  status,
  items,
  error: status === 'live' || status === 'loading' ? undefined : error,
});

test.each([
  [['live', 'live'], 'live', undefined],
  [['live', 'refused'], 'live', undefined],
  [['live', 'loading'], 'loading', undefined],
  [['loading', 'stale'], 'stale', error],
  [['refused', 'refused'], 'refused', error],
] as const)('lists that are %j are %s as one', (statuses, status, told) => {
  expect(joined(statuses.map((one) => state(one)))).toEqual({ status, items: [], error: told, more: false });
});

test('has the items of all lists', () => {
  expect(joined([state('live', 'a'), state('refused'), state('live', 'b')]).items).toEqual(['a', 'b']);
  expect(joined([{ ...state('live'), more: true }, state('live')]).more).toBe(true);
});
