import { describe, expect, test } from '@jest/globals';
import { quoteGo } from './quote.js';

describe('quotes like Go', () => {
  test.each([
    ['plain text', '"plain text"'],
    ['a "b" \\c', '"a \\"b\\" \\\\c"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\u0000\u001b\u007f', '"\\x00\\x1b\\x7f"'],
    ['\u0085\u00a0\u200b\ufeff', '"\\u0085\\u00a0\\u200b\\ufeff"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['é <&> 日本 😀', '"é <&> 日本 😀"'],
  ])('%j', (text, quoted) => {
    expect(quoteGo(text)).toBe(quoted);
  });
});
