/**
 * The tables of the store and their bytes.
 *
 * Each write is kept once, in `log`; everything else refers to it by revision.
 * - `log`: revision to `LogEntry` (logentry.ts). Puts that are still current stay for ever, the rest until compacted.
 * - `current`: key to the revision of its put. Deleted keys are not in it.
 * - `history`: key and revision of a put that is no longer current, to the revision of the write that ended it.
 * - `meta`: {@link META} counters, and `owner` and `marks` as text.
 *
 * Revisions are big-endian doubles, which order as bytes like the (positive) numbers that they are.
 */
import { open, type Database, type Key, type RootDatabase } from 'lmdb';
import { FIRST_REVISION, MAX_KEY_BYTES } from '../interface.js';
import { readFileSync } from 'node:fs';

/** Checks that the whole file of a store can be mapped, as LMDB ends the process otherwise. */
const GIB = 1024 ** 3;

/** Throws Error if `bytes` cannot be mapped. Limits that the system does not report are ignored. */
function checkAddressSpace(bytes: number): void {
  const limit = numberIn('/proc/self/limits', /^Max address space +(\d+) /m);
  if (limit === undefined) return;
  const used = (numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB$/m) ?? 0) * 1024;
  if (limit - used >= bytes) return;
  const needed = Math.ceil((used + bytes) / GIB);
  throw new Error(
    `the address space is limited to ${(limit / GIB).toFixed(1)} GiB, and to map its files takes ${needed} GiB, whatever their size is: raise the limit (ulimit -v unlimited; systemd: LimitAS=infinity)`,
  );
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const found = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

export interface HistoryKey {
  readonly key: string;
  readonly revision: number;
}

/** lmdb's `Database`, whose types know only keys that it encodes itself. */
interface HistoryTable extends Pick<Database, 'getStats'> {
  getRange(options: {
    readonly start: HistoryKey;
    readonly end?: HistoryKey;
    readonly reverse?: boolean;
    readonly inclusiveEnd?: boolean;
    readonly limit?: number;
  }): Iterable<{ readonly key: HistoryKey; readonly value: Buffer }>;
  put(key: HistoryKey, value: Buffer): Promise<boolean>;
  remove(key: HistoryKey): Promise<boolean>;
}

export interface Tables {
  readonly root: RootDatabase<Buffer, Key>;
  readonly log: Database<Buffer, number>;
  readonly current: Database<Buffer, string>;
  readonly history: HistoryTable;
  readonly meta: Database<Buffer, string>;
}

export const META = {
  /** The layout of the tables. */
  format: 'format',
  /** The newest revision. */
  revision: 'revision',
  /** The oldest revision that can be read. */
  oldest: 'oldest',
  /** Superseded writes up to this revision were removed. */
  compacted: 'swept',
  owner: 'owner',
  marks: 'marks',
} as const;

const REVISION_BYTES = 8;

/** A key, or a bound of a range, which may be one byte longer than a key. */
const textKey = {
  writeKey: (key: string, target: Buffer, start: number) =>
    start + target.write(key, start, MAX_KEY_BYTES + 1, 'utf8'),
  readKey: (source: Buffer, start: number, end: number) => source.toString('utf8', start, end),
};

const revisionKey = {
  writeKey: (revision: number, target: Buffer, start: number) => target.writeDoubleBE(revision, start),
  readKey: (source: Buffer, start: number) => source.readDoubleBE(start),
};

const historyKey = {
  writeKey: ({ key, revision }: HistoryKey, target: Buffer, start: number) => {
    const end = textKey.writeKey(key, target, start);
    target[end] = 0;
    return target.writeDoubleBE(revision, end + 1);
  },
  readKey: (source: Buffer, start: number, end: number): HistoryKey => ({
    key: source.toString('utf8', start, end - REVISION_BYTES - 1),
    revision: source.readDoubleBE(end - REVISION_BYTES),
  }),
};

/**
 * Opens the tables of an existing directory. `mapBytes` bounds the size of the file. `readOnly` requires an
 * existing store. Throws Error.
 */
export function openTables(directory: string, mapBytes: number, readOnly = false): Tables {
  checkAddressSpace(mapBytes);
  const root = open<Buffer, Key>({
    path: directory,
    noSubdir: false,
    encoding: 'binary',
    mapSize: mapBytes,
    readOnly,
    pageSize: 4096,
    maxDbs: 8,
    // Otherwise a transaction is visible to readers, and its promise resolves, before it is durable.
    overlappingSync: false,
    // Batches are made here; the package drops the promises of its own, whose rejections would go unhandled.
    eventTurnBatching: false,
  });
  // lmdb's types lack `keyEncoder`, and that a table which does not exist is undefined when only reading.
  const find = <K extends Key>(name: string, keyEncoder: object): Database<Buffer, K> | undefined => {
    const options = { name, encoding: 'binary', keyEncoder } as const;
    return root.openDB<Buffer, K>(options);
  };
  const table = <K extends Key>(name: string, keyEncoder: object): Database<Buffer, K> => {
    const opened = find<K>(name, keyEncoder);
    if (opened !== undefined) return opened;
    void root.close();
    throw new Error('it has no tables yet: the command or server that created it was killed');
  };
  return {
    root,
    log: table<number>('log', revisionKey),
    current: table<string>('current', textKey),
    // `historyKey` encodes the keys of this table.
    history: table('history', historyKey) as unknown as HistoryTable,
    meta: table<string>('meta', textKey),
  };
}

export function encodeRevision(revision: number): Buffer {
  const bytes = Buffer.allocUnsafe(REVISION_BYTES);
  bytes.writeDoubleBE(revision);
  return bytes;
}

export function decodeRevision(bytes: Buffer): number {
  return bytes.readDoubleBE(0);
}

export function readCounter(tables: Tables, name: string): number | undefined {
  const bytes = tables.meta.get(name);
  return bytes === undefined ? undefined : decodeRevision(bytes);
}

/**
 * The oldest readable revision. Compacted revisions are unreadable whatever the counter says: earlier
 * releases wrote it in another transaction, which may have failed.
 */
export function oldestIn(tables: Tables): number {
  const counter = (name: string): number => readCounter(tables, name) ?? FIRST_REVISION;
  return Math.min(counter(META.revision), Math.max(counter(META.oldest), counter(META.compacted)));
}

/** The format of the tables. */
export const FORMAT = 1;

/** Throws Error for the tables of a newer release. `format`: undefined in a new store. */
export function checkFormat(format: number | undefined): void {
  if (format === undefined || format === FORMAT) return;
  throw new Error(
    `the data has format ${format}, and this release reads formats up to ${FORMAT}: start the release that wrote it; nothing was changed`,
  );
}
