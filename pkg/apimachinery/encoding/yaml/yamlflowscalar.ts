import { code, type Cursor, isBlank, isBreak, isSpaceOrEnd } from './yamlcursor.js';

/** What is between two words of a scalar: spaces, or line breaks and the indent of the next line. */
interface Gap {
  readonly broken: boolean;
  /** How the text continues. */
  readonly folded: string;
}

const NO_GAP: Gap = { broken: false, folded: '' };

/**
 * Passes spaces and line breaks. `broken`: an escaped line break was before them. In plain scalars a tab before the
 * column `indent` of a further line is an error.
 */
function takeGap(cursor: Cursor, broken: boolean, indent = 0): Gap {
  let spaces = '';
  let first = '';
  let further = '';
  let onFurtherLine = broken;
  for (;;) {
    const next = cursor.peek();
    if (isBreak(next)) {
      if (onFurtherLine) further += cursor.takeBreak();
      else first = cursor.takeBreak();
      onFurtherLine = true;
    } else if (!isBlank(next)) {
      break;
    } else if (!onFurtherLine) {
      spaces += cursor.take(isBlank);
    } else if (next === code('\t') && cursor.column < indent) {
      throw cursor.error('found a tab character that violates indentation');
    } else {
      cursor.at++;
    }
  }
  if (!onFurtherLine) return { broken: false, folded: spaces };
  if (first !== '\n') return { broken: true, folded: first + further };
  return { broken: true, folded: further === '' ? ' ' : further };
}

const FLOW_INDICATORS = new Set([...',?[]{}'].map(code));

/** Passes text of a plain scalar up to a space or what ends it. */
function takeWord(cursor: Cursor, inFlow: boolean): string {
  const start = cursor.at;
  for (;;) {
    const next = cursor.peek();
    if (isSpaceOrEnd(next)) break;
    if (next === code(':') && isSpaceOrEnd(cursor.peek(1))) break;
    if (inFlow && FLOW_INDICATORS.has(next)) break;
    cursor.at++;
  }
  return cursor.source.slice(start, cursor.at);
}

/** Reads a plain scalar; further lines of it begin at the column `indent` or behind it, in a flow collection anywhere. */
export function scanPlain(
  cursor: Cursor,
  indent: number,
  inFlow: boolean,
): { text: string; broken: boolean } {
  let text = '';
  let gap = NO_GAP;
  while (cursor.isAtMarker() === undefined && cursor.peek() !== code('#')) {
    const word = takeWord(cursor, inFlow);
    if (word !== '') {
      text += gap.folded + word;
      gap = NO_GAP;
    }
    if (!isBlank(cursor.peek()) && !isBreak(cursor.peek())) break;
    gap = takeGap(cursor, false, indent);
    if (!inFlow && cursor.column < indent) break;
  }
  return { text, broken: gap.broken };
}

/** Reads a scalar in single or double quotes. */
export function scanQuoted(cursor: Cursor): string {
  const quote = cursor.peek();
  const isDouble = quote === code('"');
  cursor.at++;
  for (let text = ''; ;) {
    if (cursor.isAtMarker() !== undefined) throw cursor.error('found unexpected document indicator');
    if (cursor.peek() === 0) throw cursor.error('found unexpected end of stream');
    const piece = isDouble ? takeDoubleQuoted(cursor) : { text: takeSingleQuoted(cursor), broken: false };
    text += piece.text;
    if (cursor.peek() === quote) {
      cursor.at++;
      return text;
    }
    text += takeGap(cursor, piece.broken).folded;
  }
}

/** Passes text up to a space or the quote that ends it. */
function takeSingleQuoted(cursor: Cursor): string {
  let text = '';
  for (;;) {
    text += cursor.take((next) => next !== code("'") && !isSpaceOrEnd(next));
    if (cursor.peek() !== code("'") || cursor.peek(1) !== code("'")) return text;
    text += "'";
    cursor.at += 2;
  }
}

const isDoubleQuoted = (next: number): boolean =>
  next !== code('"') && next !== code('\\') && !isSpaceOrEnd(next);

/** Passes text up to a space, an escaped line break (`broken`) or the quote that ends it. */
function takeDoubleQuoted(cursor: Cursor): { text: string; broken: boolean } {
  let text = '';
  for (;;) {
    text += cursor.take(isDoubleQuoted);
    if (cursor.peek() !== code('\\')) return { text, broken: false };
    cursor.at++;
    if (cursor.takeBreak() !== '') return { text, broken: true };
    text += takeEscape(cursor);
  }
}

/** What stands behind the backslash, and the character for each in the same order. */
const NAMES = '0abt\tnvfre "\'\\N_LP';
const ESCAPED = '\0\x07\b\t\t\n\v\f\r\x1b "\'\\\x85\xa0\u2028\u2029';
const ESCAPES = new Map([...NAMES].map((name, at) => [code(name), ESCAPED.charAt(at)]));
const HEX_DIGITS = new Map([...'xuU'].map((name, at) => [code(name), 2 ** (at + 1)]));

/** Passes an escape, of which the backslash is passed. */
function takeEscape(cursor: Cursor): string {
  const name = cursor.peek();
  const character = ESCAPES.get(name);
  const digits = HEX_DIGITS.get(name);
  if (character === undefined && digits === undefined) throw cursor.error('found unknown escape character');
  cursor.at++;
  return character ?? takeCodePoint(cursor, digits ?? 0);
}

function takeCodePoint(cursor: Cursor, digits: number): string {
  const hex = cursor.source.slice(cursor.at, cursor.at + digits);
  if (!/^[0-9a-fA-F]+$/.test(hex)) throw cursor.error('did not find expected hexdecimal number');
  cursor.at += digits;
  const point = Number.parseInt(hex, 16);
  if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff) {
    throw cursor.error('found invalid Unicode character escape code');
  }
  return String.fromCodePoint(point);
}
