import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { testVectors } from '../../../test/vectors/table.js';
import { applyMergePatch } from './mergepatch.js';

describe('vectors', () => testVectors('mergepatch'));

test('__proto__ is an ordinary member', () => {
  const patch = JSON.parse('{"a":{"__proto__":{"x":1}},"__proto__":{"y":null}}') as JsonValue;
  expect(JSON.stringify(applyMergePatch({ a: {} }, patch))).toBe(
    '{"a":{"__proto__":{"x":1}},"__proto__":{}}',
  );
});
