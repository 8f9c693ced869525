import { expect, test } from '@jest/globals';
import { managerName } from './managername.js';

test.each([
  ['fm', 'tool/v1', 'fm'],
  ['', 'tool/v1 (linux) x/y', 'tool'],
  ['', 'has space and-more', 'has space and-more'],
  ['', '/odd', ''],
  ['', '', ''],
  ['', 'a\u0000b\u200bc/1', 'abc'],
  ['', 'x'.repeat(200), 'x'.repeat(128)],
  ['', `${'x'.repeat(127)}ü!`, 'x'.repeat(127)],
])('%j and %j make %j', (fieldManager, userAgent, name) => {
  expect(managerName(fieldManager, userAgent)).toBe(name);
});
