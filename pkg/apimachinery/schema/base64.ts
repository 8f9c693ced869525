/**
 * Base64 as Go's `encoding/base64.StdEncoding` decodes it: line breaks are skipped, spare bits of the last digit
 * ignored.
 */

/** Matches an invalid character; matching the whole text would backtrack. */
const FOREIGN = /[^A-Za-z0-9+/=\r\n]/;
const BREAK = /[\r\n]/;
/** Matches set spare bits. */
const LOOSE_END = /[^AQgw]==$|[^AEIMQUYcgkosw048=]=$/;
const PADDING = 0x3d;

export const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');

export function isBase64(text: string): boolean {
  if (FOREIGN.test(text)) return false;
  const joined = BREAK.test(text) ? withoutBreaks(text) : text;
  const padding = joined.endsWith('==') ? 2 : Number(joined.endsWith('='));
  const first = joined.indexOf('=');
  return joined.length % 4 === 0 && (first === -1 || first === joined.length - padding);
}

/** The canonical encoding that Go writes. `text` must be base64. */
export function canonicalBase64(text: string): string {
  const joined = BREAK.test(text) ? withoutBreaks(text) : text;
  return LOOSE_END.test(joined.slice(-3)) ? Buffer.from(joined, 'base64').toString('base64') : joined;
}

/** For ASCII text. */
function withoutBreaks(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  let kept = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x0a && byte !== 0x0d) bytes[kept++] = byte;
  }
  return bytes.toString('latin1', 0, kept);
}

const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

const DIGITS = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'));
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => Number(DIGITS.has(byte)));

/** The byte offset of Go's `CorruptInputError` for an invalid text (`decodeQuantum`). */
export function base64Fault(text: string): number {
  const bytes = Buffer.from(text);
  const skipBreaks = (from: number): number => {
    let to = from;
    while (isBreak(bytes[to])) to++;
    return to;
  };
  let digits = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (IS_DIGIT[byte] === 1) digits = (digits + 1) % 4;
    else if (byte === PADDING && digits >= 2) return paddingFault(bytes, at, digits, skipBreaks);
    else if (!isBreak(byte)) return at;
  }
  return bytes.length - digits;
}

function paddingFault(
  bytes: Buffer,
  first: number,
  digits: number,
  skipBreaks: (from: number) => number,
): number {
  let next = skipBreaks(first + 1);
  if (digits === 2) {
    if (next === bytes.length) return next;
    if (bytes[next] !== PADDING) return next - 1;
    next = skipBreaks(next + 1);
  }
  return next;
}
