import { expect, test } from '@jest/globals';
import { loggableError } from './loggableerror.js';

test.each([
  ['a message', new TypeError('Received type number (1234)')],
  ['a message that looks like a frame', new TypeError('x\n    at secret (1234.js:1:1)\n    at y:1:1')],
  ['a cause', new Error('failed', { cause: new Error('1234') })],
])('logs the place of an error, but not %s', (_name, error) => {
  const shown = loggableError(error);
  expect(shown.name).toBe(error.name);
  expect(shown.stack[0]).toContain('loggableerror.test.ts');
  expect(JSON.stringify(shown)).not.toMatch(/1234/);
});

test('logs system error codes', () => {
  expect(loggableError(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toMatchObject({ code: 'ENOSPC' });
});

test.each([
  ['text', 'string'],
  [undefined, 'undefined'],
  [7, 'number'],
])('%p has no place', (thrown, name) => {
  expect(loggableError(thrown)).toEqual({ name, stack: [] });
});
