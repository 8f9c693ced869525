import { expect, test } from '@jest/globals';
import { isKey } from '../../../../pkg/management/accesskeys/accesskey.js';
import { newKey } from './newkey.js';

test('new keys have the form that the server takes, and differ', () => {
  const keys = Array.from({ length: 50 }, newKey);
  expect(keys.filter((key) => !isKey(key))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
});
