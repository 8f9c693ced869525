/** Extracts the metadata of an object from its canonical JSON without parsing the rest. */
import type { MetaVersion } from '../table.js';

const MEMBER = Buffer.from('"metadata":{');
const HEAD: Readonly<Record<MetaVersion, Buffer>> = {
  v1: Buffer.from('{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":'),
  v1beta1: Buffer.from('{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":'),
};
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * The object as `PartialObjectMetadata`, compact JSON without a newline. `bytes`: canonical JSON, which begins
 * `{"kind":…,"apiVersion":…,"metadata":{`. Takes time in proportion to the metadata. Throws RangeError for other
 * bytes.
 */
export function partialMetadataBytes(bytes: Buffer, version: MetaVersion): Buffer {
  const start = bytes.indexOf(MEMBER) + MEMBER.length - 1;
  if (start < MEMBER.length) throw new RangeError('the object has no metadata');
  const end = afterMap(bytes, start);
  const head = HEAD[version];
  const out = Buffer.allocUnsafe(head.length + (end - start) + 1);
  head.copy(out);
  bytes.copy(out, head.length, start, end);
  out[out.length - 1] = CLOSING_BRACE;
  return out;
}

/** The offset after the map that opens at `start`. */
function afterMap(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at);
    else if (byte === OPENING_BRACE) depth += 1;
    else if (byte === CLOSING_BRACE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new RangeError('the metadata does not end');
}

function closingQuote(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
