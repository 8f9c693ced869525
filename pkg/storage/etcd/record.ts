/**
 * The bytes of a value in etcd: two bytes of ours, then the value. The first is `0x80 | position`, which
 * begins no UTF-8 text, so a value of another program is recognized; the second is 1 for the last write of a
 * commit, else 0.
 */
import type { ICompare } from 'etcd3';
import type { StoredRecord } from '../interface.js';
import type { FoundRecord } from './rpc/messages.js';
import { LAST_POSITION, positionOf, etcdRevisionOf, revisionOf } from './revision.js';

const MARK = 0x80;
const HEADER_BYTES = 2;

export interface Decoded {
  /** 0 for the value of another program. */
  readonly position: number;
  readonly last: boolean;
  readonly foreign: boolean;
  /** Shares memory with its message. */
  readonly value: Buffer;
}

export function encodeValue(value: Buffer, position: number, last: boolean): Buffer {
  const stored = Buffer.allocUnsafe(HEADER_BYTES + value.length);
  stored[0] = MARK | position;
  stored[1] = last ? 1 : 0;
  value.copy(stored, HEADER_BYTES);
  return stored;
}

export function decodeValue(stored: Buffer): Decoded {
  const [mark, flag] = stored;
  if (mark === undefined || flag === undefined || mark < MARK || mark > (MARK | LAST_POSITION) || flag > 1) {
    return { position: 0, last: true, foreign: true, value: stored };
  }
  return {
    position: mark & LAST_POSITION,
    last: flag === 1,
    foreign: false,
    value: stored.subarray(HEADER_BYTES),
  };
}

export function recordOf(key: string, kv: FoundRecord): StoredRecord {
  const { value, position } = decodeValue(kv.value);
  return { key, value, revision: revisionOf(Number(kv.mod_revision), position) };
}

/** Holds when the key was last written in the etcd revision of `revision`, at whatever position. */
export function compareEtcdRevision(key: Buffer, revision: number): ICompare {
  return { key, target: 'Mod', result: 'Equal', mod_revision: etcdRevisionOf(revision) };
}

/** Hold together when the stored value carries the position of `revision`. */
export function comparePosition(key: Buffer, revision: number): ICompare[] {
  const position = positionOf(revision);
  const below: ICompare = { key, target: 'Value', result: 'Less', value: Buffer.from([MARK + position + 1]) };
  if (position === 0) return [{ ...below, value: Buffer.from([MARK]) }];
  return [{ key, target: 'Value', result: 'Greater', value: Buffer.from([MARK + position]) }, below];
}
