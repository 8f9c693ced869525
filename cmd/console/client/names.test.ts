import { expect, test } from '@jest/globals';
import { isEntryName, nameFrom, nameProblem } from './names.js';

test.each([
  ['The database', 'the-database'],
  ['  Größe & Ümläut – 2.0 ', 'grosse-umlaut-2-0'],
  ['名前', ''],
  ['-.-', ''],
  ['a'.repeat(49) + ' b', 'a'.repeat(49)],
])('%j makes the name %j', (displayName, name) => {
  expect(nameFrom(displayName)).toBe(name);
  expect(nameProblem(name, 'label')).toBeUndefined();
});

test.each([
  ['', 'label', undefined],
  ['a-1', 'label', undefined],
  ['a.b', 'label', 'signs'],
  ['a.b', 'subdomain', undefined],
  ['Ab', 'subdomain', 'signs'],
  ['a b', 'label', 'signs'],
  ['-a', 'label', 'ends'],
  ['a-', 'label', 'ends'],
  ['a..b', 'subdomain', 'ends'],
  ['a'.repeat(64), 'label', 'long'],
  ['a'.repeat(253), 'subdomain', undefined],
] as const)('%j as a %s: %s', (name, rule, problem) => {
  expect(nameProblem(name, rule)).toBe(problem);
});

test('entries have names of letters, digits and three signs', () => {
  expect(['', 'tls.crt', 'API_KEY-1', 'a b', 'ä', 'a'.repeat(254)].map(isEntryName)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
