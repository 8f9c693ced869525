/** Reads a backup, and checks all of it while it is read. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import { isKey } from '../commitlimits.js';
import { MAX_KEY_BYTES, type StoredRecord } from '../interface.js';
import { blocksIn, DamagedBackup } from './blocks.js';
import { decodeRecords, type BackupEnd, type BackupHeader } from './format.js';

export { DamagedBackup } from './blocks.js';

export type BackupPart =
  | { readonly part: 'header'; readonly header: BackupHeader }
  | { readonly part: 'records'; readonly records: readonly StoredRecord[] }
  /** The last part. `checksum`: of the whole file. */
  | {
      readonly part: 'end';
      readonly end: BackupEnd;
      readonly checksum: Buffer;
      readonly seal: Buffer | undefined;
    };

/** The parts in order. A backup without `end` is incomplete. Throws DamagedBackup, and what `source` throws. */
export async function* readBackup(source: AsyncIterable<Buffer>): AsyncGenerator<BackupPart> {
  const counted = { records: 0, bytes: 0 };
  let [last, header]: [Buffer, BackupHeader | undefined] = [Buffer.alloc(0), undefined];
  let [end, checksum, seal]: [BackupEnd | undefined, Buffer, Buffer | undefined] = [
    undefined,
    Buffer.alloc(0),
    undefined,
  ];
  for await (const block of blocksIn(source)) {
    const bad = (why: string): DamagedBackup => new DamagedBackup(`is damaged at byte ${block.at}: ${why}`);
    if ((block.type === 'H') !== (header === undefined) || (block.type === 'S') !== (end !== undefined))
      throw bad(`a block of type ${block.type} has no place there`);
    if (seal !== undefined) throw bad('something follows the seal');
    if (block.type === 'H') {
      header = headerOf(block.payload) ?? fail(bad('it has no header'));
      yield { part: 'header', header };
    } else if (block.type === 'R') {
      const records = decodeRecords(block.payload) ?? fail(bad('a record is cut short'));
      last = checkKeys(records, last, bad);
      count(counted, records);
      yield { part: 'records', records };
    } else if (block.type === 'E') {
      [end, checksum] = [endOf(block.payload) ?? fail(bad('its end says nothing')), block.checksum];
      if (end.records !== counted.records || end.bytes !== counted.bytes)
        throw bad(`it has ${counted.records} records of ${end.records}`);
    } else seal = block.payload;
  }
  if (end === undefined || (seal === undefined) === header?.sealed)
    throw new DamagedBackup('is cut short: its end is missing');
  yield { part: 'end', end, checksum, seal };
}

export function fail(error: Error): never {
  throw error;
}

/** Checks that keys increase, so that no key occurs twice. Returns the last key. */
function checkKeys(records: readonly StoredRecord[], before: Buffer, bad: (why: string) => Error): Buffer {
  let last = before;
  for (const { key } of records) {
    const bytes = Buffer.from(key);
    if (!isKey(key) || bytes.length > MAX_KEY_BYTES || Buffer.compare(bytes, last) <= 0)
      throw bad('its keys are not in order');
    last = bytes;
  }
  return last;
}

function count(counted: { records: number; bytes: number }, records: readonly StoredRecord[]): void {
  counted.records += records.length;
  for (const { key, value } of records) counted.bytes += Buffer.byteLength(key) + value.length;
}

function headerOf(payload: Buffer): BackupHeader | undefined {
  const { program, time, revision, engine, sealed } = members(payload);
  if (typeof program !== 'string' || typeof time !== 'string' || typeof engine !== 'string') return undefined;
  if (!isInteger(revision) || typeof sealed !== 'boolean') return undefined;
  return { program, time, revision, engine, sealed };
}

function endOf(payload: Buffer): BackupEnd | undefined {
  const { records, bytes } = members(payload);
  return isInteger(records) && isInteger(bytes) ? { records, bytes } : undefined;
}

export const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);

export function members(payload: Buffer): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(payload.toString()));
  } catch {
    return {};
  }
}
