import { describe, expect, test } from '@jest/globals';
import { parseObjectVersion, parseResourceVersion } from './resourceversion.js';

describe('resource versions', () => {
  test.each([
    ['', 0],
    ['0', 0],
    ['64', 64],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', Number.MAX_SAFE_INTEGER],
    ['18446744073709551615', Number.MAX_SAFE_INTEGER],
  ])('%j is %d', (text, revision) => {
    expect(parseResourceVersion(text)).toBe(revision);
    expect(parseObjectVersion(text)).toBe(revision);
  });

  test.each([
    ['abc', 'invalid syntax'],
    ['-5', 'invalid syntax'],
    ['+5', 'invalid syntax'],
    [' 5', 'invalid syntax'],
    ['1.5', 'invalid syntax'],
    ['18446744073709551616', 'value out of range'],
    ['9'.repeat(5000), 'value out of range'],
  ])('%j is 400', (text, why) => {
    const bare = `strconv.ParseUint: parsing "${text}": ${why}`;
    const message = `resourceVersion: Invalid value: "${text}": ${bare}`;
    expect(() => parseResourceVersion(text)).toThrow(expect.objectContaining({ message, code: 400 }));
    expect(() => parseObjectVersion(text)).toThrow(expect.objectContaining({ message: bare, code: 400 }));
  });
});
