import { expect, test } from '@jest/globals';
import { linesOf, namesOf } from './names.js';

test.each([
  ['', []],
  [' ada,bob  carl,ada ', ['ada', 'bob', 'carl']],
])('names of %j', (text, names) => {
  expect(namesOf(text)).toEqual(names);
});

test.each([
  ['', []],
  [' \n', []],
  ['Domain Admins', ['Domain Admins']],
  [
    ' cn=shop,ou=groups,dc=example \r\n\n\tDomain Admins\nDomain Admins\n',
    ['cn=shop,ou=groups,dc=example', 'Domain Admins'],
  ],
])('lines of %j', (text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});
