import { expect, test } from '@jest/globals';
import { copyJson } from './copyjson.js';

test.each<[string, unknown]>([
  ['scalars', ['', 'a', 0, -1.5, true, null]],
  ['maps in lists in maps', { a: [{ b: { c: [1, [2]] } }, {}], d: {} }],
  ['names that prototypes have', JSON.parse('{"__proto__":{"a":1},"constructor":"x","toString":[]}')],
  ['names that are numbers', { 10: 'x', 9: 'y', b: 'z' }],
  ['undefined members', { a: undefined, b: 1 }],
])('copies %s', (_, value) => {
  const before = structuredClone(value);
  const copied = copyJson(value);
  expect(copied).toStrictEqual(structuredClone(value));
  expect(JSON.stringify(copied)).toBe(JSON.stringify(value));
  expectNothingShared(copied, value);
  expect(value).toStrictEqual(before);
});

function expectNothingShared(a: unknown, b: unknown): void {
  if (typeof a !== 'object' || a === null) return;
  expect(a).not.toBe(b);
  for (const [name, member] of Object.entries(a)) {
    expectNothingShared(member, (b as Record<string, unknown>)[name]);
  }
}
