import { expect, test } from '@jest/globals';
import { foreignText, refusalIn } from './foreigntext.js';

test.each<[string, unknown, string]>([
  ['keeps a short text', 'the server is busy', 'the server is busy'],
  ['replaces control characters and escapes', '\u001b[2Jgone\r\n\u0000', '?[2Jgone???'],
  ['replaces text marks and what looks like nothing', 'a\u202eb\u200bc\u2028d', 'a?b?c?d'],
  ['ignores what is no text', { toString: 'x' }, ''],
])('%s', (_what, text, expected) => expect(foreignText(text)).toBe(expected));

test('cuts to 200 characters', () => {
  expect(foreignText('x'.repeat(900_000))).toBe('x'.repeat(200));
  const message = '\u001b'.repeat(900_000);
  expect(refusalIn({ code: 500, message, details: { causes: [{ message }] } })).toEqual({
    code: 500,
    message: '?'.repeat(200),
    details: { causes: [{ message: '?'.repeat(200) }] },
  });
});
