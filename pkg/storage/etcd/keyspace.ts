/**
 * The keys in etcd: `<prefix>data/<key>` for records, `<prefix>meta/group/<id>` for records of batches,
 * `<prefix>meta/revisionoffset` for the offset of revisions from etcd's.
 */
import type { KeyRange } from '../interface.js';

export interface KeySpace {
  dataKey(key: string): Buffer;
  /** Undefined when `end` is not past `start`. */
  dataRange(range: KeyRange): ByteRange | undefined;
  /** The key of a record, or undefined when `bytes` is not one of a record. */
  nameOf(bytes: Buffer): string | undefined;
  batchKey(id: string): Buffer;
  isBatchKey(bytes: Buffer): boolean;
  readonly batches: ByteRange;
  readonly offsetKey: Buffer;
  /** Everything under the prefix. */
  readonly whole: ByteRange;
}

/** From `key` (inclusive) to `range_end` (exclusive), as etcd names them. */
export interface ByteRange {
  readonly key: Buffer;
  readonly range_end: Buffer;
}

export function inByteRange(range: ByteRange, bytes: Buffer): boolean {
  return Buffer.compare(bytes, range.key) >= 0 && Buffer.compare(bytes, range.range_end) < 0;
}

export function keySpace(prefix: string): KeySpace {
  const data = `${prefix}data/`;
  const batch = Buffer.from(`${prefix}meta/group/`);
  const dataStart = Buffer.from(data);
  const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);
  return {
    dataKey: (key) => Buffer.from(data + key),
    dataRange: ({ start, end }) => {
      const range = { key: Buffer.from(data + start), range_end: Buffer.from(data + end) };
      return Buffer.compare(range.key, range.range_end) < 0 ? range : undefined;
    },
    nameOf: (bytes) => (startsWith(bytes, dataStart) ? bytes.toString('utf8', dataStart.length) : undefined),
    batchKey: (id) => Buffer.concat([batch, Buffer.from(id)]),
    isBatchKey: (bytes) => startsWith(bytes, batch),
    batches: rangeOfPrefix(batch),
    offsetKey: Buffer.from(`${prefix}meta/revisionoffset`),
    // `data/` and `meta/` are the only folders, so the end of the second is the end of both.
    whole: { key: dataStart, range_end: rangeOfPrefix(Buffer.from(`${prefix}meta/`)).range_end },
  };
}

function rangeOfPrefix(key: Buffer): ByteRange {
  const range_end = Buffer.from(key);
  range_end[range_end.length - 1] = (range_end[range_end.length - 1] ?? 0) + 1;
  return { key, range_end };
}
