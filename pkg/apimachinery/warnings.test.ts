import { describe, expect, test } from '@jest/globals';
import { warningHeaders } from './warnings.js';

describe('warning headers of a response', () => {
  test('omit duplicate and unprintable texts', () => {
    expect(warningHeaders(['a', 'b "q"', 'a', 'c\n', ''])).toEqual(['299 - "a"', '299 - "b \\"q\\""']);
  });

  test('truncate long texts if the total is too long', () => {
    const texts = Array.from({ length: 20 }, (_, index) => String(index).padStart(3, '0') + 'x'.repeat(400));
    const headers = warningHeaders(texts);
    expect(headers).toHaveLength(16);
    expect(headers[0]).toBe(`299 - "000${'x'.repeat(253)}"`);
  });

  test('keep all texts within the limit', () => {
    const text = 'é'.repeat(4096);
    expect(warningHeaders([text])).toEqual([`299 - "${text}"`]);
  });
});
