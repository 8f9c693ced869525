/** DER (X.690), as far as certificates need it. */

/** Tags of universal types; SEQUENCE and SET with the bit that says that they hold others. */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** A value with its tag and length. */
export function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...members: readonly Uint8Array[]): Buffer => tagged(TAG.sequence, ...members);
export const set = (...members: readonly Uint8Array[]): Buffer => tagged(TAG.set, ...members);
export const octetString = (bytes: Uint8Array): Buffer => tagged(TAG.octetString, bytes);
export const utf8String = (text: string): Buffer => tagged(TAG.utf8String, Buffer.from(text));
/** Only ever written where true: a default is left out. */
export const TRUE = tagged(TAG.boolean, Buffer.from([0xff]));

/** A number of 0 or more; `bytes`: big-endian, the first not zero unless it is the only one. */
export function integer(bytes: Uint8Array): Buffer {
  const sign = (bytes[0] ?? 0) >= 0x80 ? [0] : [];
  return tagged(TAG.integer, Buffer.from(sign), bytes);
}

/** `unused`: how many of the last bits are none. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return tagged(TAG.bitString, Buffer.from([unused]), bytes);
}

/** `1.2.840.10045.2.1` */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** In seconds; up to 2049 with two digits for the year (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  if (date.getUTCFullYear() >= 2050) return tagged(TAG.generalizedTime, Buffer.from(digits));
  return tagged(TAG.utcTime, Buffer.from(digits.slice(2)));
}

/** One value with its tag and length, and what it holds. */
export interface Element {
  readonly tag: number;
  readonly whole: Buffer;
  readonly content: Buffer;
}

/** The values that stand one behind the other. Throws RangeError where one does not end in time. */
export function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const short = bytes.readUInt8(at + 1);
    const more = short < 0x80 ? 0 : short & 0x7f;
    const length = more === 0 ? short : bytes.readUIntBE(at + 2, more);
    const start = at + 2 + more;
    const end = start + length;
    if (end > bytes.length) throw new RangeError('DER ends too early');
    found.push({
      tag: bytes.readUInt8(at),
      whole: bytes.subarray(at, end),
      content: bytes.subarray(start, end),
    });
    at = end;
  }
  return found;
}
