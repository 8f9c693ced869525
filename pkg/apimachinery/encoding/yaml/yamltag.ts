import { code, type Cursor, isBlank, isBreakOrEnd, isSpaceOrEnd } from './yamlcursor.js';

const IS_ALPHANUMERIC = new Set(
  [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'].map(code),
);
const isAlphanumeric = (of: number): boolean => IS_ALPHANUMERIC.has(of);
const isDigit = (of: number): boolean => of >= code('0') && of <= code('9');

const AFTER_ANCHOR = new Set([...'?:,]}%@`'].map(code));

/** Reads the name of an anchor or alias behind its indicator. */
export function scanAnchor(cursor: Cursor): string {
  cursor.at++;
  const name = cursor.take(isAlphanumeric);
  if (name === '' || !(isSpaceOrEnd(cursor.peek()) || AFTER_ANCHOR.has(cursor.peek()))) {
    throw cursor.error('did not find expected alphabetic or numeric character');
  }
  return name;
}

/** A tag as it is written: `!!str` has the handle `!!`, `!<x>` and `!` none. */
export interface Tag {
  readonly handle: string;
  readonly suffix: string;
}

export function scanTag(cursor: Cursor): Tag {
  const tag = cursor.peek(1) === code('<') ? takeVerbatimTag(cursor) : takeShortTag(cursor);
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error('did not find expected whitespace or line break');
  return tag;
}

function takeVerbatimTag(cursor: Cursor): Tag {
  cursor.at += 2;
  const suffix = takeUri(cursor);
  if (suffix === '') throw cursor.error('did not find expected tag URI');
  if (cursor.peek() !== code('>')) throw cursor.error("did not find the expected '>'");
  cursor.at++;
  return { handle: '', suffix };
}

function takeShortTag(cursor: Cursor): Tag {
  const start = takeHandle(cursor);
  const rest = takeUri(cursor);
  if (start.length > 1 && start.endsWith('!')) {
    if (rest === '') throw cursor.error('did not find expected tag URI');
    return { handle: start, suffix: rest };
  }
  const suffix = start.slice(1) + rest;
  return suffix === '' ? { handle: '', suffix: '!' } : { handle: '!', suffix };
}

/** `!`, `!!` or `!name!`; or `!name`, which is the start of a tag. */
function takeHandle(cursor: Cursor): string {
  if (cursor.peek() !== code('!')) throw cursor.error("did not find expected '!'");
  cursor.at++;
  const name = cursor.take(isAlphanumeric);
  if (cursor.peek() !== code('!')) return `!${name}`;
  cursor.at++;
  return `!${name}!`;
}

const URI_MARKS = new Set([...";/?:@&=+$,.!~*'()[]"].map(code));
const isUri = (of: number): boolean => isAlphanumeric(of) || URI_MARKS.has(of);

/** Passes the characters of a URI, and decodes the escapes in them. */
function takeUri(cursor: Cursor): string {
  let uri = '';
  for (;;) {
    uri += cursor.take(isUri);
    if (cursor.peek() !== code('%')) return uri;
    uri += takeUriEscapes(cursor);
  }
}

/** Passes the escapes of one character. */
function takeUriEscapes(cursor: Cursor): string {
  const [leading = 0] = takeOctet(cursor, 1);
  const more =
    leading < 0x80 ? 0 : leading >> 5 === 6 ? 1 : leading >> 4 === 14 ? 2 : leading >> 3 === 30 ? 3 : -1;
  if (more === -1) throw cursor.error('found an incorrect leading UTF-8 octet');
  const trailing = takeOctet(cursor, more);
  if (trailing.some((octet) => octet >> 6 !== 2)) {
    throw cursor.error('found an incorrect trailing UTF-8 octet');
  }
  return Buffer.from([leading, ...trailing]).toString();
}

function takeOctet(cursor: Cursor, count: number): number[] {
  return Array.from({ length: count }, () => {
    const escape = cursor.source.slice(cursor.at, cursor.at + 3);
    if (!/^%[0-9a-fA-F]{2}$/.test(escape)) throw cursor.error('did not find URI escaped octet');
    cursor.at += 3;
    return Number.parseInt(escape.slice(1), 16);
  });
}

/** `%YAML 1.1` or `%TAG !e! tag:example,2000:`. */
export type Directive = { readonly version: string } | { readonly handle: string; readonly prefix: string };

export function scanDirective(cursor: Cursor): Directive {
  cursor.at++;
  const name = cursor.take(isAlphanumeric);
  if (name === '') throw cursor.error('could not find expected directive name');
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error('found unexpected non-alphabetical character');
  const directive =
    name === 'YAML' ? takeVersion(cursor) : name === 'TAG' ? takeTagDirective(cursor) : undefined;
  if (directive === undefined) throw cursor.error('found unknown directive name');
  cursor.skipSpaces(true);
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.peek())) throw cursor.error('did not find expected comment or line break');
  cursor.takeBreak();
  return directive;
}

function takeVersion(cursor: Cursor): Directive {
  cursor.skipSpaces(true);
  const major = takeVersionNumber(cursor);
  if (cursor.peek() !== code('.')) throw cursor.error("did not find expected digit or '.' character");
  cursor.at++;
  return { version: `${major}.${takeVersionNumber(cursor)}` };
}

function takeVersionNumber(cursor: Cursor): number {
  const digits = cursor.take(isDigit);
  if (digits === '') throw cursor.error('did not find expected version number');
  if (digits.length > 2) throw cursor.error('found extremely long version number');
  return Number(digits);
}

function takeTagDirective(cursor: Cursor): Directive {
  cursor.skipSpaces(true);
  const handle = takeHandle(cursor);
  if (handle !== '!' && !handle.endsWith('!')) throw cursor.error("did not find expected '!'");
  if (!isBlank(cursor.peek())) throw cursor.error('did not find expected whitespace');
  cursor.skipSpaces(true);
  const prefix = takeUri(cursor);
  if (prefix === '') throw cursor.error('did not find expected tag URI');
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error('did not find expected whitespace or line break');
  return { handle, prefix };
}
