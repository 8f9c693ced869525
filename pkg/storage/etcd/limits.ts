/** Which commits the seam takes at all. */
import {
  MAX_COMMIT_BYTES,
  MAX_COMMIT_WRITES,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
  StorageError,
} from '../interface.js';
import type { Guard, StorageFailure, Write } from '../interface.js';

type TooLarge = Extract<StorageFailure, { code: 'too large' }>['what'];

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * @throws StorageError `too large`.
 * @throws RangeError for an empty key, NUL or a lone surrogate in a key, and a key written twice.
 */
export function checkCommit(writes: readonly Write[], guards: readonly Guard[]): void {
  if (writes.length > MAX_COMMIT_WRITES) throw tooLarge('writes', MAX_COMMIT_WRITES);
  let bytes = 0;
  for (const { key, value } of writes) {
    bytes += checkKey(key) + (value?.length ?? 0);
    if (value !== undefined && value.length > MAX_VALUE_BYTES) throw tooLarge('value', MAX_VALUE_BYTES);
  }
  if (bytes > MAX_COMMIT_BYTES) throw tooLarge('commit', MAX_COMMIT_BYTES);
  if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size < writes.length) {
    throw new RangeError('a commit writes a key twice');
  }
  for (const { key } of guards) checkKey(key);
}

/** The bytes of a key that will do. */
function checkKey(key: string): number {
  if (key === '' || key.includes('\0') || LONE_SURROGATE.test(key)) {
    throw new RangeError('a key must be non-empty Unicode without NUL');
  }
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) throw tooLarge('key', MAX_KEY_BYTES);
  return bytes;
}

export function tooLarge(what: TooLarge, limit: number): StorageError {
  return new StorageError({ code: 'too large', what, limit });
}
