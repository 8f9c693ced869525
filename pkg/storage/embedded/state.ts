/**
 * Reads of the tables. Each function works in one turn of the loop, and so on one snapshot of LMDB; a long read
 * is several calls at one revision, so that no read transaction outlives a turn.
 *
 * `revision` must lie between the oldest readable revision and the newest durable one. The tables may show a
 * commit whose sync is still under way; a read at the newest durable revision does not.
 */
import { DAMAGED, MAX_KEY_BYTES, type KeyRange, type StorageEvent, type StoredRecord } from '../interface.js';
import { isKey } from '../commitlimits.js';
import { compareKeys } from './keyorder.js';
import { decodeLogEntry, type LogEntry } from './logentry.js';
import { decodeRevision, META, readCounter, type Tables } from './tables.js';

const NOTHING = Buffer.alloc(0);

/** A put that a read found: where it is in the log. */
interface Found {
  readonly key: string;
  readonly revision: number;
}

/** The revision of the newest put of the key; undefined: it is absent. Call it only between commits. */
export function currentRevisionOf(tables: Tables, key: string): number | undefined {
  const bytes = tables.current.get(key);
  return bytes === undefined ? undefined : decodeRevision(bytes);
}

/** The record of the put at `revision`; `undecryptable` if the log entry is damaged. */
export function recordAt(tables: Tables, key: string, revision: number): StoredRecord {
  const bytes = tables.log.get(revision);
  const entry = bytes === undefined ? undefined : decodeLogEntry(bytes, revision);
  if (entry?.value === undefined || entry.key !== key)
    return { key, value: NOTHING, revision, undecryptable: DAMAGED };
  return { key, value: entry.value, revision };
}

/** The record of `key` as it was at `revision`. */
export function readAt(tables: Tables, key: string, revision: number): StoredRecord | undefined {
  if (!isKey(key) || Buffer.byteLength(key) > MAX_KEY_BYTES) return undefined;
  const newest = currentRevisionOf(tables, key);
  if (newest !== undefined && newest <= revision) return recordAt(tables, key, newest);
  const candidates = tables.history.getRange({
    start: { key, revision },
    end: { key, revision: 0 },
    reverse: true,
    inclusiveEnd: true,
    limit: 1,
  });
  for (const { key: put, value } of candidates) {
    if (put.key === key && put.revision <= revision && decodeRevision(value) > revision) {
      return recordAt(tables, key, put.revision);
    }
  }
  return undefined;
}

export interface Page {
  readonly records: readonly StoredRecord[];
  /** Where the range continues; undefined: it is complete. */
  readonly next: string | undefined;
}

/** At most `maxRecords` records, and not much more than `maxBytes` of values, of the range at `revision`. */
export function pageAt(
  tables: Tables,
  range: KeyRange,
  revision: number,
  maxRecords: number,
  maxBytes: number,
): Page {
  const records: StoredRecord[] = [];
  let bytes = 0;
  for (const { key, revision: put } of foundAt(tables, range, revision)) {
    if (records.length >= maxRecords || bytes >= maxBytes) return { records, next: key };
    const record = recordAt(tables, key, put);
    bytes += record.value.length;
    records.push(record);
  }
  return { records, next: undefined };
}

function foundAt(tables: Tables, range: KeyRange, revision: number): Iterable<Found> {
  const bounds = { start: range.start === '' ? '\u0001' : range.start, end: range.end };
  if (compareKeys(bounds.start, bounds.end) >= 0) return [];
  const current = currentIn(tables, bounds, revision);
  if (readCounter(tables, META.revision) === revision) return current;
  return merged(current, endedIn(tables, bounds, revision));
}

/** Keys whose newest put is not after `revision`. */
function* currentIn(tables: Tables, range: KeyRange, revision: number): Generator<Found> {
  for (const { key, value } of tables.current.getRange(range)) {
    const put = decodeRevision(value);
    if (put <= revision) yield { key, revision: put };
  }
}

/** Keys whose put was the newest at `revision` and was replaced or deleted since. */
function* endedIn(tables: Tables, range: KeyRange, revision: number): Generator<Found> {
  for (const { key: put, value } of tables.history.getRange({ start: { key: range.start, revision: 0 } })) {
    if (compareKeys(put.key, range.end) >= 0) return;
    if (compareKeys(put.key, range.start) < 0) continue;
    if (put.revision <= revision && decodeRevision(value) > revision) yield put;
  }
}

/** Two sequences in key order as one. No key is in both. */
function* merged(left: Generator<Found>, right: Generator<Found>): Generator<Found> {
  let [a, b] = [left.next(), right.next()];
  try {
    while (a.done !== true || b.done !== true) {
      const takeLeft = b.done === true || (a.done !== true && compareKeys(a.value.key, b.value.key) < 0);
      if (takeLeft) {
        if (a.done !== true) yield a.value;
        a = left.next();
      } else {
        if (b.done !== true) yield b.value;
        b = right.next();
      }
    }
  } finally {
    // An open cursor holds its snapshot, and the file grows meanwhile.
    left.return(undefined);
    right.return(undefined);
  }
}

/** A write in the log. `entry` is undefined if it is damaged. */
export interface Logged {
  readonly revision: number;
  readonly entry: LogEntry | undefined;
}

/** Writes after `revision` up to and including `last`, oldest first. */
export function* logBetween(tables: Tables, revision: number, last: number): Generator<Logged> {
  for (const { key, value } of tables.log.getRange({ start: revision + 1 })) {
    if (key > last) return;
    yield { revision: key, entry: decodeLogEntry(value, key) };
  }
}

export function asEvent({ key, value, commitEnd }: LogEntry, revision: number): StorageEvent {
  return { key, value, revision, commitEnd };
}
