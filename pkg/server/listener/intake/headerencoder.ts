/** Header blocks without Huffman codes and tables (RFC 7541, 6.2.2). */
import { randomBytes } from 'node:crypto';
import type { Span } from './fieldbytes.js';

function lengthBytes(length: number): number[] {
  if (length < 0x7f) return [length];
  const bytes = [0x7f];
  let rest = length - 0x7f;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return bytes;
}

/** A field, copied. */
export function encodeField(name: Span, value: Span): Buffer {
  const parts = [name, value].flatMap(({ bytes, start, end }) => [
    Buffer.from(lengthBytes(end - start)),
    bytes.subarray(start, end),
  ]);
  return Buffer.concat([Buffer.from([0]), ...parts]);
}

const field = (name: string, value: string): Buffer => {
  const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)];
  return encodeField(
    { bytes: nameBytes, start: 0, end: nameBytes.length },
    { bytes: valueBytes, start: 0, end: valueBytes.length },
  );
};

/** Why a request is not served. */
export type Refusal = 'malformed' | 'large';

/** The field by which nghttp2 hands on that a request is not served. Clients do not know its name. */
export const REFUSAL_FIELD = `x-${randomBytes(16).toString('hex')}`;
export const refusalField = (why: Refusal): Buffer => field(REFUSAL_FIELD, why);

/** In place of a request that is too large. */
export const placeholder = (method: 'GET' | 'HEAD'): Buffer =>
  Buffer.concat([
    field(':method', method),
    field(':scheme', 'https'),
    field(':path', '/'),
    field(':authority', 'x'),
    refusalField('large'),
  ]);

/** A field for which nghttp2 resets the stream. */
export const RESETTING_FIELD = field(':malformed', '');
