import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { base64Fault, canonicalBase64, isBase64 } from './base64.js';

describe('base64', () => {
  test.each([
    ['', ''],
    ['Zg==', 'Zg=='],
    ['Zh==', 'Zg=='],
    ['Zm9=', 'Zm8='],
    ['Zg==\n', 'Zg=='],
    ['Z\r\ng\n=\n=', 'Zg=='],
    ['Zm9v', 'Zm9v'],
  ])('%j is %j', (given, expected) => {
    expect(isBase64(given)).toBe(true);
    expect(canonicalBase64(given)).toBe(expected);
  });

  test('of Node is canonical', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(isBase64(text)).toBe(true);
        expect(canonicalBase64(text)).toBe(text);
      }),
    );
  });

  test.each([
    ['Z', 0],
    ['Zg', 0],
    ['Zg=', 3],
    ['Zg=\n', 4],
    ['Zg=\na', 3],
    ['Z\ng', 1],
    ['Zg===', 4],
    ['Zg=a', 2],
    ['Zg==a', 4],
    ['Z===', 1],
    ['====', 0],
    ['Zm9=Zm9v', 4],
    ['é', 0],
    ['Zm9v!', 4],
    ['Zm9vZg', 4],
  ])('%j is invalid at byte %i', (given, at) => {
    expect(isBase64(given)).toBe(false);
    expect(base64Fault(given)).toBe(at);
  });
});
