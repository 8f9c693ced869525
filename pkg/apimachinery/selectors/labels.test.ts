import { describe, expect, test } from '@jest/globals';
import { parseLabelSelector } from './labels.js';

describe('label selectors beyond the vectors', () => {
  test.each([
    ['a in (b,,c)', 'a in (,b,c)'],
    ['a in (,)', 'a in ()'],
    ['a=b\u0000,c=d', 'a=b'],
  ])('%j is %j', (text, canonical) => {
    expect(parseLabelSelector(text).toString()).toBe(canonical);
  });

  test.each([
    ['a in (b,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
    ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ])('%j is 400', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ message, code: 400 }));
  });

  test('do not match members of Object.prototype', () => {
    expect(parseLabelSelector('constructor').matches({})).toBe(false);
    expect(parseLabelSelector('!toString').matches(undefined)).toBe(true);
  });
});
