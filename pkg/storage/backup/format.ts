/**
 * The format of a backup: a line of text, then blocks. A block is a letter, the length of its payload in four bytes,
 * the payload, and a SHA-256 checksum of the checksum before it and of the block. So the last checksum covers the whole
 * file, and a block that was changed, removed or moved is detected at its position.
 *
 * `H`: {@link BackupHeader} as JSON. `R`: records, in key order over all blocks. `E`: {@link BackupEnd} as JSON. `S`,
 * if the store is encrypted: the checksum of `E`, encrypted with the store's key, so that nobody without the key can
 * forge a backup.
 */
import { createHash } from 'node:crypto';
import type { StoredRecord } from '../interface.js';

const FORMAT = 1;
export const MAGIC = Buffer.from(`management-apiserver backup ${FORMAT}\n`);
/** The beginning of the first line in every version of the format. */
export const MAGIC_START = Buffer.from('management-apiserver backup ');

export type BlockType = 'H' | 'R' | 'C' | 'M' | 'E' | 'S';

/** A type of file, which its first line identifies. */
export interface FileKind {
  /** The first line. */
  readonly magic: Buffer;
  /** The beginning of the first line in every version of the format. */
  readonly start: Buffer;
  readonly types: readonly BlockType[];
  /** The name in messages: `backup`. */
  readonly name: string;
}

export const BACKUP_FILE: FileKind = {
  magic: MAGIC,
  start: MAGIC_START,
  name: 'backup',
  types: ['H', 'R', 'E', 'S'],
};
export const HEAD_BYTES = 5;
export const CHECKSUM_BYTES = 32;
/** A block of records ends with the record that reaches this size. */
export const BLOCK_BYTES = 1024 * 1024;
/** The maximum length of a block's payload. */
export const MAX_PAYLOAD_BYTES = 4 * BLOCK_BYTES;

export interface BackupHeader {
  /** The version of the program that wrote it. */
  readonly program: string;
  /** RFC 3339, by the clock of the machine that wrote it. */
  readonly time: string;
  /** The revision of the store: the backup contains all commits up to this one, and none after it. */
  readonly revision: number;
  readonly engine: string;
  /** Whether a seal follows the end. */
  readonly sealed: boolean;
}

export interface BackupEnd {
  readonly records: number;
  /** The length of all keys and values. */
  readonly bytes: number;
}

/** The checksum before the first block. */
export const firstChecksum = ({ magic }: Pick<FileKind, 'magic'> = BACKUP_FILE): Buffer =>
  createHash('sha256').update(magic).digest();

/**
 * @param before the checksum of the block before
 */
export function checksumOf(before: Buffer, head: Buffer, payload: Buffer): Buffer {
  return createHash('sha256').update(before).update(head).update(payload).digest();
}

export function headOf(type: BlockType, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(type, 'latin1');
  head.writeUInt32BE(length, 1);
  return head;
}

const RECORD_HEAD_BYTES = 14;

/** The length of the key (2 bytes), the length of the value (4), the revision (8), the key, the value. */
export function encodeRecord({ key, value, revision }: StoredRecord): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(RECORD_HEAD_BYTES);
  head.writeUInt16BE(name.length);
  head.writeUInt32BE(value.length, 2);
  head.writeBigUInt64BE(BigInt(revision), 6);
  return Buffer.concat([head, name, value]);
}

/** Undefined if the payload is not a sequence of records. The values share memory with the payload. */
export function decodeRecords(payload: Buffer): StoredRecord[] | undefined {
  const records: StoredRecord[] = [];
  for (let at = 0; at < payload.length;) {
    if (at + RECORD_HEAD_BYTES > payload.length) return undefined;
    const start = at + RECORD_HEAD_BYTES;
    const nameEnd = start + payload.readUInt16BE(at);
    const end = nameEnd + payload.readUInt32BE(at + 2);
    if (end > payload.length) return undefined;
    const revision = Number(payload.readBigUInt64BE(at + 6));
    records.push({
      key: payload.toString('utf8', start, nameEnd),
      value: payload.subarray(nameEnd, end),
      revision,
    });
    at = end;
  }
  return records;
}
