import { expect, test } from '@jest/globals';
import { isAsWritten } from './undo.js';

test.each([
  ['what was set is still set', { a: 'old' }, { a: 'new', b: 1 }, { a: 'new', b: 2 }, true],
  ['what was set is set again', { a: 'old' }, { a: 'new' }, { a: 'newer' }, false],
  ['what was set is taken away', { a: 'old' }, { a: 'new' }, {}, false],
  ['what was taken away is there again', { data: { a: 'old' } }, { data: {} }, { data: { a: 'x' } }, false],
  ['another member has come', { data: { a: 'old' } }, { data: {} }, { data: { b: 'x' } }, true],
  ['a list is another', { list: [1] }, { list: [] }, { list: [2] }, false],
])('%s', (_name, patch, written, now, expected) => {
  expect(isAsWritten(patch, written, now)).toBe(expected);
});
