/**
 * The bytes of a segment of the log: blocks as of a backup (`format.ts`), after another first line. A backup, and segments each of
 * which names the checksum of the file before it, are a chain: no segment can be left out, moved, or be of another store.
 *
 * `H`: {@link SegmentHeader} as JSON. `C`: changes, in the order of their revisions. `M`: {@link Mark} as JSON, between commits; the
 * changes before it are those up to its revision. `E`: {@link SegmentEnd} as JSON. `S`: as of a backup.
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
  /** The checksum of the backup that the log begins with, in hexadecimal. */
  readonly base: string;
  /** Likewise of the file before this one: that backup, or a segment. */
  readonly previous: string;
  /** From 1. */
  readonly number: number;
  /** What was committed up to here is in the files before. */
  readonly after: number;
  /** Whether a seal follows the end. */
  readonly sealed: boolean;
}

/** At this time, or before, all up to the revision was committed. */
export interface Mark {
  /** In ms since 1970, of the machine that wrote it. Never before the mark that precedes it. */
  readonly time: number;
  readonly revision: number;
}

/** The last mark, and what there is. */
export interface SegmentEnd extends Mark {
  readonly changes: number;
  /** Of keys and values. */
  readonly bytes: number;
  /** Of the store at the revision: see `lineage.ts`. */
  readonly lineage: string;
}

export type Change = Pick<StorageEvent, 'key' | 'value' | 'revision'>;

const HEAD_BYTES = 15;
const DELETE = 1;

/** Whether it is a delete (1 byte), length of the key (2), of the value (4), revision (8), key, value. */
export function encodeChange({ key, value, revision }: Change): Buffer {
  const name = Buffer.from(key);
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = value === undefined ? DELETE : 0;
  head.writeUInt16BE(name.length, 1);
  head.writeUInt32BE(value?.length ?? 0, 3);
  head.writeBigUInt64BE(BigInt(revision), 7);
  return Buffer.concat(value === undefined ? [head, name] : [head, name, value]);
}

/** Undefined where the payload is none of changes. Values share memory with it. */
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
