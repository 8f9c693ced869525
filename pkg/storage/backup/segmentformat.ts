/**
 * The format of a segment of the log: blocks as in a backup (`format.ts`), after another first line. A backup and its
 * segments are a chain, as each segment contains the checksum of the file before it: no segment can be removed, moved,
 * or come from another store.
 *
 * `H`: {@link SegmentHeader} as JSON. `C`: changes, in the order of their revisions. `M`: {@link Mark} as JSON, between
 * commits: the changes before it are those up to its revision. `E`: {@link SegmentEnd} as JSON. `S`: as in a backup.
 */
import type { StorageEvent } from '../interface.js';
import type { FileKind } from './format.js';

const FORMAT = 1;
const START = 'management-apiserver log ';

export const SEGMENT_FILE: FileKind = {
  magic: Buffer.from(`${START}${FORMAT}\n`),
  start: Buffer.from(START),
  types: ['H', 'C', 'M', 'E', 'S'],
  name: 'segment of a log',
};

export interface SegmentHeader {
  /** The version of the program that wrote it. */
  readonly program: string;
  readonly engine: string;
  /** The checksum of the backup at the beginning of the chain, in hexadecimal. */
  readonly base: string;
  /** The checksum of the file before this one, which is that backup or a segment, in hexadecimal. */
  readonly previous: string;
  /** The number of the segment in the chain; the first is 1. */
  readonly number: number;
  /** The revision at the end of the file before: the segment contains later changes only. */
  readonly after: number;
  /** Whether a seal follows the end. */
  readonly sealed: boolean;
}

/** A point in time, and a revision that was committed at or before it. */
export interface Mark {
  /** In ms since 1970, by the clock of the machine that wrote it. Never before the previous mark. */
  readonly time: number;
  readonly revision: number;
}

/** The last mark, and totals. */
export interface SegmentEnd extends Mark {
  readonly changes: number;
  /** The length of all keys and values. */
  readonly bytes: number;
  /** The lineage of the store at the revision (`lineage.ts`). */
  readonly lineage: string;
}

export type Change = Pick<StorageEvent, 'key' | 'value' | 'revision'>;

const HEAD_BYTES = 15;
const DELETE = 1;

/**
 * Whether it is a delete (1 byte), the length of the key (2), the length of the value (4), the revision (8), the key,
 * the value.
 */
export function encodeChange({ key, value, revision }: Change): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = value === undefined ? DELETE : 0;
  head.writeUInt16BE(name.length, 1);
  head.writeUInt32BE(value?.length ?? 0, 3);
  head.writeBigUInt64BE(BigInt(revision), 7);
  return Buffer.concat(value === undefined ? [head, name] : [head, name, value]);
}

/** Undefined if the payload is not a sequence of changes. The values share memory with the payload. */
export function decodeChanges(payload: Buffer): Change[] | undefined {
  const changes: Change[] = [];
  for (let at = 0; at < payload.length;) {
    const start = at + HEAD_BYTES;
    if (start > payload.length) return undefined;
    const flag = payload[at] ?? 0;
    const nameEnd = start + payload.readUInt16BE(at + 1);
    const end = nameEnd + payload.readUInt32BE(at + 3);
    if (end > payload.length || flag > DELETE || (flag === DELETE && end > nameEnd)) return undefined;
    changes.push({
      key: payload.toString('utf8', start, nameEnd),
      value: flag === DELETE ? undefined : payload.subarray(nameEnd, end),
      revision: Number(payload.readBigUInt64BE(at + 7)),
    });
    at = end;
  }
  return changes;
}
