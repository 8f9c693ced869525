/**
 * The bytes of a write in the log, with a checksum over them and the revision.
 *
 * Flags (1 byte), revision of the put that it replaces (8), length of the key (2), key, value, CRC-32 (4).
 */
import { crc32 } from 'node:zlib';

export interface LogEntry {
  readonly key: string;
  /** Absent: a delete. */
  readonly value: Buffer | undefined;
  readonly commitEnd: boolean;
  /** The revision of the put that this write replaces or deletes; 0 when it creates the key. */
  readonly replaces: number;
}

const REPLACES_AT = 1;
const KEY_LENGTH_AT = REPLACES_AT + 8;
const HEADER_BYTES = KEY_LENGTH_AT + 2;
const CHECKSUM_BYTES = 4;
const DELETE = 1;
const COMMIT_END = 2;
/** In the flags of every entry. */
const CHECKED = 0b1010_0100;

export function encodeLogEntry(entry: LogEntry, revision: number): Buffer {
  const keyBytes = Buffer.byteLength(entry.key);
  const end = HEADER_BYTES + keyBytes + (entry.value?.length ?? 0);
  const bytes = Buffer.allocUnsafe(end + CHECKSUM_BYTES);
  bytes[0] = CHECKED | (entry.value === undefined ? DELETE : 0) | (entry.commitEnd ? COMMIT_END : 0);
  bytes.writeDoubleBE(entry.replaces, REPLACES_AT);
  bytes.writeUInt16BE(keyBytes, KEY_LENGTH_AT);
  bytes.write(entry.key, HEADER_BYTES, 'utf8');
  entry.value?.copy(bytes, HEADER_BYTES + keyBytes);
  bytes.writeUInt32BE(checksumOf(bytes.subarray(0, end), revision), end);
  return bytes;
}

/** Returns a value that shares memory with `bytes`. Undefined: it is not the write of this revision. */
export function decodeLogEntry(bytes: Buffer, revision: number): LogEntry | undefined {
  const flags = bytes[0] ?? 0;
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES || (flags & ~(DELETE | COMMIT_END)) !== CHECKED) return undefined;
  if (bytes.readUInt32BE(end) !== checksumOf(bytes.subarray(0, end), revision)) return undefined;
  const keyEnd = HEADER_BYTES + bytes.readUInt16BE(KEY_LENGTH_AT);
  if (keyEnd > end) return undefined;
  return {
    key: bytes.toString('utf8', HEADER_BYTES, keyEnd),
    value: (flags & DELETE) === 0 ? bytes.subarray(keyEnd, end) : undefined,
    commitEnd: (flags & COMMIT_END) !== 0,
    replaces: bytes.readDoubleBE(REPLACES_AT),
  };
}

/** Whether an unchecked entry is a delete. */
export const isDelete = (bytes: Buffer): boolean => ((bytes[0] ?? 0) & DELETE) !== 0;

/** The key of an unchecked entry. Its first page is sufficient. */
export const keyIn = (bytes: Buffer): Buffer =>
  bytes.length < HEADER_BYTES
    ? bytes
    : bytes.subarray(HEADER_BYTES, HEADER_BYTES + bytes.readUInt16BE(KEY_LENGTH_AT));

/** Includes the revision, so that an entry in the place of another is detected. */
const checksumOf = (bytes: Buffer, revision: number): number => crc32(bytes, revision % 2 ** 32);
