/** Writes a backup: all records of the store at one revision, as the engine stores them, so encrypted at rest. */
import type { Transformer } from '../encryption/interface.js';
import { sealOf } from './seal.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { refuseUnreadable, type Storage, type StoredRecord } from '../interface.js';
import {
  BLOCK_BYTES,
  checksumOf,
  encodeRecord,
  firstChecksum,
  headOf,
  MAGIC,
  type BackupEnd,
  type BackupHeader,
  type BlockType,
} from './format.js';

/** The approximate size of a page, in bytes of values. */
const PAGE_BYTES = 2 * 1024 * 1024;
const FIRST_RECORDS = 50;
const MAX_RECORDS = 1_000;

export interface BackupOptions {
  readonly header: Omit<BackupHeader, 'sealed'>;
  /** Encrypts the checksum; absent: the store is not encrypted. */
  readonly seal?: Transformer | undefined;
  /** Called at the end. `checksum`: of the whole file, in hexadecimal. */
  readonly done: (end: BackupEnd, checksum: string) => void;
}

/**
 * The bytes of a backup of the store at the header's revision. Chunks are produced on demand. Rejects with
 * StorageError: `compacted` if the revision has been compacted since, and as {@link recordsAt}.
 */
export async function* writeBackup(
  engine: Pick<Storage, 'scan'>,
  { header, seal, done }: BackupOptions,
): AsyncGenerator<Buffer> {
  let checksum = firstChecksum();
  const block = (type: BlockType, payload: Buffer): Buffer => {
    const head = headOf(type, payload.length);
    checksum = checksumOf(checksum, head, payload);
    return Buffer.concat([head, payload, checksum]);
  };
  let [records, bytes] = [0, 0];
  yield Buffer.concat([MAGIC, block('H', json({ ...header, sealed: seal !== undefined }))]);
  for await (const page of blocksOf(recordsAt(engine, header.revision))) {
    records += page.length;
    for (const { key, value } of page) bytes += Buffer.byteLength(key) + value.length;
    yield block('R', Buffer.concat(page.map(encodeRecord)));
  }
  const end: BackupEnd = { records, bytes };
  yield block('E', json(end));
  const sealed = checksum;
  if (seal !== undefined) yield block('S', sealOf(seal, sealed));
  done(end, sealed.toString('hex'));
}

const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/**
 * All records of the store at a revision, in pages of about {@link PAGE_BYTES}. Rejects with StorageError;
 * `undecryptable` for a damaged record, which the backup would otherwise lose silently.
 */
export async function* recordsAt(
  engine: Pick<Storage, 'scan'>,
  revision: number,
): AsyncGenerator<readonly StoredRecord[]> {
  const options = { revision, limit: FIRST_RECORDS, nextLimit: recordsLike };
  for await (const page of pagesOf(engine, ALL_KEYS, options)) {
    page.forEach(refuseUnreadable);
    yield page;
  }
}

/** The number of such records in a page. */
function recordsLike(records: readonly StoredRecord[]): number {
  const mean = records.reduce((sum, { value }) => sum + value.length, 1) / records.length;
  return Math.min(Math.max(Math.floor(PAGE_BYTES / mean), 1), MAX_RECORDS);
}

async function* blocksOf(
  pages: AsyncIterable<readonly StoredRecord[]>,
): AsyncGenerator<readonly StoredRecord[]> {
  let [block, bytes]: [StoredRecord[], number] = [[], 0];
  for await (const page of pages)
    for (const record of page) {
      block.push(record);
      bytes += record.key.length + record.value.length;
      if (bytes < BLOCK_BYTES) continue;
      yield block;
      [block, bytes] = [[], 0];
    }
  if (block.length > 0) yield block;
}
