/** Header blocks without Huffman codes and tables (RFC 7541, 6.2.2). */
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

/** In place of a request that is refused. */
export const placeholder = (method: 'GET' | 'HEAD'): Buffer =>
  Buffer.concat([
    field(':method', method),
    field(':scheme', 'https'),
    field(':path', '/'),
    field(':authority', 'x'),
  ]);

/** A field for which nghttp2 resets the stream. */
export const RESETTING_FIELD = field(':malformed', '');
