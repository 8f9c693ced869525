/**
 * The bytes of a backup: a line of text, then blocks. A block is a letter, the length of its payload in four bytes, the
 * payload, and SHA-256 of the checksum before it and all of the block. So the last checksum is one of the whole file, and a
 * block that was changed, left out or moved is found where it is.
 *
 * `H`: {@link BackupHeader} as JSON. `R`: records, in key order over all blocks. `E`: {@link BackupEnd} as JSON. `S`, where the
 * store is encrypted: the checksum of `E`, encrypted with the store's key, so that whoever lacks the key cannot write a backup.
 */
import { createHash } from 'node:crypto';
import type { StoredRecord } from '../interface.js';

export const FORMAT = 1;
export const MAGIC = Buffer.from(`management-apiserver backup ${FORMAT}\n`);
/** What the line begins with in every format. */
export const MAGIC_START = Buffer.from('management-apiserver backup ');

export type BlockType = 'H' | 'R' | 'C' | 'M' | 'E' | 'S';

/** What a file of blocks is, by its first line. */
export interface FileKind {
  /** The line. */
  readonly magic: Buffer;
  /** What the line begins with in every format. */
  readonly start: Buffer;
  readonly types: readonly BlockType[];
  /** For people: `backup`. */
  readonly name: string;
}

export const BACKUP_FILE: FileKind = {
  ...{ magic: MAGIC, start: MAGIC_START, name: 'backup' },
  types: ['H', 'R', 'E', 'S'],
};
export const HEAD_BYTES = 5;
export const CHECKSUM_BYTES = 32;
/** A block of records ends with the record that reaches this. */
export const BLOCK_BYTES = 1024 * 1024;
/** No block is longer. */
export const MAX_PAYLOAD_BYTES = 4 * BLOCK_BYTES;

export interface BackupHeader {
  /** The version of the program that wrote it. */
  readonly program: string;
  /** RFC 3339, of the machine that wrote it. */
  readonly time: string;
  /** Of the store: what was committed up to here is in the backup, and nothing later. */
  readonly revision: number;
  readonly engine: string;
  /** Whether a seal follows the end. */
  readonly sealed: boolean;
}

export interface BackupEnd {
  readonly records: number;
  /** Of keys and values. */
  readonly bytes: number;
}

/** The checksum that the first block goes on from. */
export const firstChecksum = ({ magic }: Pick<FileKind, 'magic'> = BACKUP_FILE): Buffer =>
  createHash('sha256').update(magic).digest();

/** @param before the checksum of the block before */
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

/** Length of the key (2 bytes), of the value (4), revision (8), key, value. */
export function encodeRecord({ key, value, revision }: StoredRecord): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(RECORD_HEAD_BYTES);
  head.writeUInt16BE(name.length);
  head.writeUInt32BE(value.length, 2);
  head.writeBigUInt64BE(BigInt(revision), 6);
  return Buffer.concat([head, name, value]);
}

/** Undefined where the payload is none of records. Values share memory with it. */
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
