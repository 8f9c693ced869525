import { describe, expect, test } from '@jest/globals';
import { DecodeError, decodeJson, encodeJson, encodePretty } from './json.js';

test.each([
  ['1e400', /float64/],
  ['[' + '9'.repeat(400) + ']', /float64/],
  ['['.repeat(401) + ']'.repeat(401), /^exceeded max depth$/],
  ['{"a":'.repeat(100_000), /^exceeded max depth$/],
  ['-', /^unexpected end of JSON input$/],
  ['1.x', /^invalid character 'x' after decimal point in numeric literal$/],
  ['1e+x', /^invalid character 'x' in exponent of numeric literal$/],
  ['trux', /^invalid character 'x' in literal true \(expecting 'e'\)$/],
  ['"\\u12g4"', /^invalid character 'g' in \\u hexadecimal character escape$/],
  ['[1 2]', /^invalid character '2' after array element$/],
  ['{"a" 1}', /^invalid character '1' after object key$/],
  ['é', /^invalid character 'Ã' looking for beginning of value$/],
])('refuses %#', (text, message) => {
  expect(() => decodeJson(text)).toThrow(DecodeError);
  expect(() => decodeJson(text)).toThrow(message);
});

describe('decodeJson', () => {
  test('accepts 400 levels and brackets in strings', () => {
    decodeJson('['.repeat(400) + ']'.repeat(400));
    decodeJson(JSON.stringify('{['.repeat(1000)));
  });
  test('keeps __proto__ as a member', () => {
    const { value } = decodeJson('{"__proto__":{"x":"\\ud800"}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":"\ufffd"}}');
  });
  test('reports duplicates only if requested', () => {
    const text = '{"a":{"b":1,"b":2},"c":"\\"d\\":","c":[{"e":1},{"e":1,"\\u0065":2}]}';
    expect(decodeJson(text).duplicates).toEqual([]);
    expect(decodeJson(text, { findDuplicates: true })).toEqual({
      value: { a: { b: 2 }, c: [{ e: 1 }, { e: 2 }] },
      duplicates: ['duplicate field "a.b"', 'duplicate field "c"', 'duplicate field "c[1].e"'],
    });
  });
  test('reports at most 100', () => {
    const text = `{${Array.from({ length: 150 }, (_, i) => `"a${i}":1,"a${i}":2`).join(',')}}`;
    expect(decodeJson(text, { findDuplicates: true }).duplicates).toHaveLength(100);
  });
});

test('encodes with the escapes of Go', () => {
  expect(encodeJson({ a: '<&>\u2028\u2029"' })).toBe('{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\\""}');
  expect(encodePretty({ a: ['<'] })).toBe('{\n  "a": [\n    "\\u003c"\n  ]\n}');
});
