import { expect, test } from '@jest/globals';
import { dropManagedFields } from './omitfields.js';

const full = { metadata: { name: 'a', managedFields: [{ manager: 'm' }] }, data: { managedFields: 'stays' } };
const less = { metadata: { name: 'a' }, data: { managedFields: 'stays' } };

test.each<[string, unknown, unknown]>([
  ['an object', full, less],
  ['a list', { metadata: {}, items: [full, full, null] }, { metadata: {}, items: [less, less, null] }],
  [
    'a table',
    { rows: [{ cells: ['a'], object: full }, { cells: [] }] },
    { rows: [{ cells: ['a'], object: less }, { cells: [] }] },
  ],
  ['a JSON patch', [{ op: 'remove', path: '/metadata' }], [{ op: 'remove', path: '/metadata' }]],
  ['a value that is not an object', null, null],
  ['an object without metadata', { metadata: null, items: 'x' }, { metadata: null, items: 'x' }],
])('omits managedFields from %s', (_name, given, expected) => {
  const value: unknown = structuredClone(given);
  dropManagedFields(value);
  expect(value).toEqual(expected);
});
