/** Validation of a commit before it is queued. */
import {
  MAX_COMMIT_BYTES,
  MAX_COMMIT_WRITES,
  MAX_KEY_BYTES,
  MAX_VALUE_BYTES,
  StorageError,
  type Guard,
  type StorageFailure,
  type Write,
} from './interface.js';

/**
 * Returns the bytes of keys and values of the commit.
 * @throws StorageError `too large`; RangeError for an invalid key, a key that is written twice, or an empty
 *   commit, which are mistakes of the caller.
 */
export function checkCommit(writes: readonly Write[], guards: readonly Guard[]): number {
  if (writes.length === 0) throw new RangeError('a commit must write something');
  if (writes.length > MAX_COMMIT_WRITES) throw tooLarge('writes', MAX_COMMIT_WRITES);
  let bytes = 0;
  for (const { key, value, overhead = 0 } of writes) {
    const length = (value?.length ?? 0) - overhead;
    bytes += checkKey(key) + length;
    if (length > MAX_VALUE_BYTES) throw tooLarge('value', MAX_VALUE_BYTES);
  }
  if (bytes > MAX_COMMIT_BYTES) throw tooLarge('commit', MAX_COMMIT_BYTES);
  if (writes.length > 1 && new Set(writes.map(({ key }) => key)).size < writes.length) {
    throw new RangeError('a commit may write a key once');
  }
  for (const { key } of guards) checkKey(key);
  return bytes;
}

/** Whether the string is a valid key: not empty, no NUL, no lone surrogate. Its length is not checked. */
export function isKey(key: string): boolean {
  return key !== '' && !/[\u0000\p{Surrogate}]/u.test(key);
}

/** Returns the bytes of a valid key. */
function checkKey(key: string): number {
  if (!isKey(key)) throw new RangeError('a key must be non-empty Unicode without NUL');
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) throw tooLarge('key', MAX_KEY_BYTES);
  return bytes;
}

type What = Extract<StorageFailure, { code: 'too large' }>['what'];

export function tooLarge(what: What, limit: number): StorageError {
  return new StorageError({ code: 'too large', what, limit });
}
