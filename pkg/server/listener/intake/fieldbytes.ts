/** Which bytes names and values of fields may have over HTTP/2 (RFC 9113, 8.2.1; RFC 9110, 5.1 and 5.5). */

const setOf = (characters: string): Uint8Array => {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
};
const ALNUM = '0123456789abcdefghijklmnopqrstuvwxyz';
/** Of a token, without capitals. */
const NAME = setOf(`${ALNUM}!#$%&'*+-.^_\`|~`);
/** Of a host and port (RFC 3986, 3.2.2). */
const AUTHORITY = setOf(`${ALNUM}${ALNUM.toUpperCase()}-._~!$&'()*+,;=:[]%`);
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;
const COLON = 0x3a;

/** A part of a buffer. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

function within({ bytes, start, end }: Span, set: Uint8Array): boolean {
  for (let at = start; at < end; at += 1) if (set[bytes[at] ?? 0] === 0) return false;
  return true;
}

export const isPseudo = ({ bytes, start, end }: Span): boolean => end > start && bytes[start] === COLON;

export const isFieldName = (name: Span): boolean => name.end > name.start && within(name, NAME);

export const isAuthority = (value: Span): boolean => within(value, AUTHORITY);

/** Without control characters, and without blanks at either end. */
export function isFieldValue({ bytes, start, end }: Span): boolean {
  if (start === end) return true;
  if (isBlank(bytes[start]) || isBlank(bytes[end - 1])) return false;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte < SPACE && byte !== TAB) || byte === DELETE) return false;
  }
  return true;
}

const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;
