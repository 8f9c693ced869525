import { MAX_DEPTH, TOO_DEEP, isDeeperThan } from './depth.js';

/** Thrown at the first invalid character. */
class SyntaxFound extends Error {}

/**
 * The error of Go's `encoding/json` for an invalid text: `invalid character '}' looking for beginning of value`,
 * `unexpected end of JSON input`. It names bytes: `text` is read as UTF-8, or is any bytes.
 */
export function explainSyntaxError(text: string | Buffer): string {
  const source = (typeof text === 'string' ? Buffer.from(text) : text).toString('latin1');
  if (isDeeperThan(source, MAX_DEPTH)) return TOO_DEEP;
  try {
    const end = value(source, 0);
    const rest = space(source, end);
    if (rest < source.length) unexpected(source, rest, 'after top-level value');
    return 'invalid JSON';
  } catch (error) {
    if (error instanceof SyntaxFound) return error.message;
    throw error;
  }
}

function value(source: string, start: number): number {
  const at = space(source, start);
  switch (source[at]) {
    case '{':
      return object(source, at + 1);
    case '[':
      return list(source, at + 1);
    case '"':
      return string(source, at + 1);
    case 't':
      return word(source, at, 'true');
    case 'f':
      return word(source, at, 'false');
    case 'n':
      return word(source, at, 'null');
    default:
      if (source[at] === '-' || isDigit(source[at])) return number(source, at);
      return unexpected(source, at, 'looking for beginning of value');
  }
}

function object(source: string, start: number): number {
  let at = space(source, start);
  if (source[at] === '}') return at + 1;
  for (;;) {
    if (source[at] !== '"') return unexpected(source, at, 'looking for beginning of object key string');
    at = space(source, string(source, at + 1));
    if (source[at] !== ':') return unexpected(source, at, 'after object key');
    at = space(source, value(source, at + 1));
    if (source[at] === '}') return at + 1;
    if (source[at] !== ',') return unexpected(source, at, 'after object key:value pair');
    at = space(source, at + 1);
  }
}

function list(source: string, start: number): number {
  let at = space(source, start);
  if (source[at] === ']') return at + 1;
  for (;;) {
    at = space(source, value(source, at));
    if (source[at] === ']') return at + 1;
    if (source[at] !== ',') return unexpected(source, at, 'after array element');
    at++;
  }
}

function string(source: string, start: number): number {
  for (let at = start; ; at++) {
    const code = source.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (!(code >= 0x20)) return unexpected(source, at, 'in string literal');
    if (code === 0x5c) at = escape(source, at + 1);
  }
}

function escape(source: string, at: number): number {
  if (source[at] !== 'u') {
    return '"\\/bfnrt'.includes(source[at] ?? ' ') ? at : unexpected(source, at, 'in string escape code');
  }
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!isHexDigit(source.charCodeAt(digit)))
      return unexpected(source, digit, 'in \\u hexadecimal character escape');
  }
  return at + 4;
}

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

function number(source: string, start: number): number {
  let at = source[start] === '-' ? start + 1 : start;
  if (!isDigit(source[at])) return unexpected(source, at, 'in numeric literal');
  at = source[at] === '0' ? at + 1 : digits(source, at);
  if (source[at] === '.') {
    if (!isDigit(source[at + 1])) return unexpected(source, at + 1, 'after decimal point in numeric literal');
    at = digits(source, at + 1);
  }
  if (source[at] === 'e' || source[at] === 'E') {
    at = source[at + 1] === '+' || source[at + 1] === '-' ? at + 2 : at + 1;
    if (!isDigit(source[at])) return unexpected(source, at, 'in exponent of numeric literal');
    at = digits(source, at);
  }
  return at;
}

function word(source: string, start: number, expected: string): number {
  for (let i = 1; i < expected.length; i++) {
    if (source[start + i] === expected[i]) continue;
    return unexpected(source, start + i, `in literal ${expected} (expecting '${expected[i]}')`);
  }
  return start + expected.length;
}

function digits(source: string, start: number): number {
  let at = start;
  while (isDigit(source[at])) at++;
  return at;
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';

function space(source: string, start: number): number {
  let at = start;
  while (at < source.length && ' \n\r\t'.includes(source[at]!)) at++;
  return at;
}

function unexpected(source: string, at: number, context: string): never {
  const character = source[at];
  if (character === undefined) throw new SyntaxFound('unexpected end of JSON input');
  throw new SyntaxFound(`invalid character ${quoteByte(source, at)} ${context}`);
}

/** As Go's `strconv.Quote` quotes the character with the number of the byte. */
function quoteByte(source: string, at: number): string {
  const first = source.charCodeAt(at);
  if (first === 0x27) return "'\\''";
  if (first === 0x22) return `'"'`;
  const named = { 7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r', 92: '\\\\' }[
    first
  ];
  if (named !== undefined) return `'${named}'`;
  if (first < 0x20 || first === 0x7f) return `'\\x${first.toString(16).padStart(2, '0')}'`;
  if ((first > 0x7f && first <= 0xa0) || first === 0xad) return `'\\u00${first.toString(16)}'`;
  return `'${String.fromCharCode(first)}'`;
}
