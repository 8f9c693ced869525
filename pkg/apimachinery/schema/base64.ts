/** Base64 as Go's `encoding/base64.StdEncoding` reads it: line breaks are skipped, the last digit's spare bits ignored. */

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Spare bits that are set. */
const LOOSE_END = /[^AQgw]==$|[^AEIMQUYcgkosw048=]=$/;
const DIGIT = /[A-Za-z0-9+/]/;

export function isBase64(text: string): boolean {
  return BASE64.test(text) || (/[\r\n]/.test(text) && BASE64.test(withoutBreaks(text)));
}

/** The text that Go writes for the same bytes. `text` must be base64. */
export function canonicalBase64(text: string): string {
  const joined = /[\r\n]/.test(text) ? withoutBreaks(text) : text;
  return LOOSE_END.test(joined) ? Buffer.from(joined, 'base64').toString('base64') : joined;
}

const withoutBreaks = (text: string): string => text.replace(/[\r\n]/g, '');

/** The offset, in bytes, in Go's `CorruptInputError` for a text that is no base64 (`decodeQuantum`). */
export function base64Fault(text: string): number {
  const bytes = Buffer.from(text).toString('latin1');
  const skipBreaks = (from: number): number => {
    let to = from;
    while (bytes[to] === '\n' || bytes[to] === '\r') to++;
    return to;
  };
  let digits = 0;
  for (let at = 0; at < bytes.length; at++) {
    const character = bytes[at] as string;
    if (DIGIT.test(character)) digits = (digits + 1) % 4;
    else if (character === '=' && digits >= 2) return paddingFault(bytes, at, digits, skipBreaks);
    else if (character !== '\n' && character !== '\r') return at;
  }
  return bytes.length - digits;
}

function paddingFault(
  bytes: string,
  first: number,
  digits: number,
  skipBreaks: (from: number) => number,
): number {
  let next = skipBreaks(first + 1);
  if (digits === 2) {
    if (next === bytes.length) return next;
    if (bytes[next] !== '=') return next - 1;
    next = skipBreaks(next + 1);
  }
  return next;
}
