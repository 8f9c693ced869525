import { describe, expect, test } from '@jest/globals';
import { parseForm, parseQuery } from './query.js';

const LONG = `&x=${'x'.repeat(5_000)}`;

describe('a long form', () => {
  test.each(['a', 'a&b', 'a=1&a&=&&b==2', '=a&a=', '?a&b', 'a+b=%20&%C3%A4&%zz'])(
    'is parsed like a short one: %s',
    (text) => {
      const short = [...new URLSearchParams(text)];
      expect([...parseForm(text)]).toEqual(short);
      expect([...parseForm(text + LONG)]).toEqual([...short, ['x', LONG.slice(3)]]);
    },
  );
});

describe('a query', () => {
  test.each([
    ['drops a pair with a semicolon', 'a=1;b=2&c=3', [['c', '3']]],
    ['drops a pair with a percent sign alone', 'a=%zz&c=3', [['c', '3']]],
    ['has a further question mark in the first name', '?a=1', [['?a', '1']]],
  ])('%s', (_, text, pairs) => {
    expect([...parseQuery(text)]).toEqual(pairs);
    expect([...parseQuery(text + LONG)]).toEqual([...pairs, ['x', LONG.slice(3)]]);
  });
});
