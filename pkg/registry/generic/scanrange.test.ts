import { expect, test } from '@jest/globals';
import { watchedPrefix } from './scanrange.js';

test.each([
  ['', undefined, undefined, true, ''],
  ['a', undefined, undefined, true, 'a/'],
  ['a', 'x', undefined, true, 'a/x'],
  ['', 'x', undefined, true, ''],
  ['', 'x', 'a', true, 'a/x'],
  ['', undefined, 'a', true, 'a/'],
  ['b', 'x', 'a', true, 'b/x'],
  ['', 'x', undefined, false, 'x'],
  ['', 'x', 'a', false, 'x'],
  ['', undefined, undefined, false, ''],
])('in %j of name %j, namespace %j: (namespaced: %j) %j', (given, name, namespace, namespaced, prefix) => {
  expect(watchedPrefix(given, { name, namespace }, namespaced)).toBe(prefix);
});
