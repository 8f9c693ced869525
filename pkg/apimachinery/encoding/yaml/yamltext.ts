import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../json.js';

/** Control characters but for tab and line breaks, and two others. */
const NOT_ALLOWED = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;

/**
 * The characters of a stream in UTF-8, or in UTF-16 with a byte order mark, without that mark. Throws
 * {@link DecodeError} for other bytes and for characters that YAML does not allow.
 */
export function yamlText(stream: Buffer | string): string {
  const text = typeof stream === 'string' ? stream : decoded(stream);
  if (NOT_ALLOWED.test(text)) throw new DecodeError('yaml: control characters are not allowed');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function decoded(bytes: Buffer): string {
  const mark = bytes.length < 2 ? 0 : bytes.readUInt16BE();
  if (mark === 0xfffe) return utf16(bytes);
  if (mark === 0xfeff) return utf16(Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16(), bytes.length);
  if (!isUtf8(bytes)) throw new DecodeError('yaml: invalid UTF-8 octet sequence');
  return bytes.toString('utf8');
}

/** `length`: of the stream, in bytes. */
function utf16(littleEndian: Buffer, length = littleEndian.length): string {
  if (length % 2 === 1) throw new DecodeError('yaml: incomplete UTF-16 character');
  const text = littleEndian.toString('utf16le');
  if (/\p{Surrogate}/u.test(text)) throw new DecodeError('yaml: incomplete UTF-16 surrogate pair');
  return text;
}
