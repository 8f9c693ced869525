/**
 * The storage interface of the server: keys, bytes and revisions.
 *
 * Two engines implement it, `embedded/` (LMDB) and `etcd/`; `pkg/storage/testing/conformance.ts` is the one suite that
 * both pass.
 *
 * Keys are non-empty Unicode strings without NUL and at most {@link MAX_KEY_BYTES} bytes of UTF-8, ordered by those
 * bytes. Values are opaque bytes.
 *
 * A revision is one store-wide integer, at least {@link FIRST_REVISION}, and grows strictly: every write has a revision
 * of its own, and the writes of one commit take increasing ones in the order given. Revisions never repeat or go back,
 * across restarts either. They are safe integers.
 */

/** The lowest revision of any store; 1 to 63 are older than any history. */
export const FIRST_REVISION = 64;
/** The longest key, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024;
/** The largest value of one record, in bytes: 1 MiB of Secret data fits as base64. */
export const MAX_VALUE_BYTES = 1_468_006;
/** The largest commit, in bytes of keys and values. */
export const MAX_COMMIT_BYTES = 1_520_435;
/** The most writes of one commit. */
export const MAX_COMMIT_WRITES = 62;

/** In place of a key's name: the record is not what was written. */
export const DAMAGED = '<damaged>';

/** A stored value and the revision of its last write. */
export interface StoredRecord {
  readonly key: string;
  readonly value: Buffer;
  readonly revision: number;
  /** Set if the record cannot be read: the name of the key that it needs, or {@link DAMAGED}. `value` is then empty. */
  readonly undecryptable?: string;
}

/** The keys from `start` (inclusive) to `end` (exclusive), by bytes. `end` of a prefix: {@link prefixEnd}. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
}

export interface ReadOptions {
  /** Read the state as it was right after this revision; absent: the newest, linearizable. */
  readonly revision?: number;
}

export interface GetResult {
  /** The revision of the snapshot that was read. */
  readonly revision: number;
  readonly record: StoredRecord | undefined;
}

export interface ScanOptions extends ReadOptions {
  /** Maximum number of records; absent: all of the range. */
  readonly limit?: number;
}

export interface ScanResult {
  /** The revision of the snapshot that was read. */
  readonly revision: number;
  /** In key order. */
  readonly records: readonly StoredRecord[];
  /** Whether the range has more records after the last one. */
  readonly more: boolean;
}

/**
 * What a commit requires of a key: `'absent'`, `'present'`, a revision that the record must have, or `'any'`.
 * `'any'` on a delete of an absent key fails with `not found`.
 */
export type Expectation = 'absent' | 'present' | 'any' | number;

/** Puts `value`, or deletes the key when `value` is absent. A key is written at most once in a commit. */
export interface Write {
  readonly key: string;
  readonly value?: Buffer;
  readonly expect: Expectation;
  /** The number of bytes that encryption added to the value. They do not count against the limits. */
  readonly overhead?: number;
}

/** A precondition on a key that the commit does not write. */
export interface Guard {
  readonly key: string;
  readonly expect: Expectation;
}

export interface CommitResult {
  /** One revision for each write, in the order of the writes, strictly increasing. */
  readonly revisions: readonly number[];
}

/** One change. A delete carries no value; its revision is that of the delete. */
export interface StorageEvent {
  readonly key: string;
  readonly value: Buffer | undefined;
  readonly revision: number;
  /** As of a {@link StoredRecord}. */
  readonly undecryptable?: string;
  /** Whether this is the last write of its commit. */
  readonly commitEnd: boolean;
}

/** Events in order, and the progress of the watch. */
export interface WatchBatch {
  /** May be empty (a progress mark). A batch ends with a whole commit, except when the range cuts it. */
  readonly events: readonly StorageEvent[];
  /** Every event of the range up to this revision has been delivered, this batch included. */
  readonly revision: number;
}

export interface WatchOptions {
  /** Deliver the events after this revision; absent: after the newest one at the time of the call. */
  readonly after?: number;
  /**
   * Called when the store has confirmed the watch, during the call or later. Not called again when the engine resumes
   * the watch after an interruption.
   */
  readonly standing?: () => void;
}

/**
 * Each event of the range once, in order. Ends normally after `cancel()` or the store's `close()`. Throws a {@link
 * StorageError} `compacted` when the history that it needs was compacted (also for a consumer that stalls; engines
 * bound their buffers), or `unavailable`.
 */
export interface StorageWatch extends AsyncIterable<WatchBatch> {
  cancel(): void;
}

/** Differences between engines, as data. */
export interface Capabilities {
  readonly engine: string;
  /** Whether several processes may use the store at the same time. */
  readonly shared: boolean;
  /** Whether state survives a restart of the process. */
  readonly durable: boolean;
}

export interface Storage {
  readonly capabilities: Capabilities;
  /** Errors: `compacted`, `future revision`, `unavailable`, `undecryptable`. */
  get(key: string, options?: ReadOptions): Promise<GetResult>;
  /** Errors: `compacted`, `future revision`, `unavailable`. */
  scan(range: KeyRange, options?: ScanOptions): Promise<ScanResult>;
  /**
   * All writes or none, durable and visible to every later read when it resolves. Errors: `exists` and
   * `not found` and `conflict` (a write's or guard's expectation fails: the first failing in the order writes,
   * then guards), `too large`, `unavailable` (with `outcome`), `undecryptable` (in place of `conflict`).
   */
  commit(writes: readonly Write[], guards?: readonly Guard[]): Promise<CommitResult>;
  /**
   * Errors come from the iteration: `compacted`, `unavailable`. `after` may be in the future: the watch waits for it.
   * The watch has started when the call returns.
   */
  watch(range: KeyRange, options?: WatchOptions): StorageWatch;
  /** The newest revision, linearizable: at least that of every commit that was acknowledged before the call. */
  currentRevision(): Promise<number>;
  /** The same, synchronously, for an engine that can tell at once. Throws `unavailable`. */
  revisionNow?(): number;
  /** Compacts history: reads at, and watches from, an earlier revision then fail with `compacted`. */
  compact(revision: number): Promise<void>;
  /** Ends watches, waits for commits in flight, and releases all resources. Idempotent. */
  close(): Promise<void>;
}

/** Why a storage call failed. The union is closed: a new case breaks the compilation of every switch over it. */
export type StorageFailure =
  /** `'absent'` was expected, but the key exists. `current` is its record. */
  | { readonly code: 'exists'; readonly key: string; readonly current: StoredRecord }
  /** A record was expected, but the key is absent. */
  | { readonly code: 'not found'; readonly key: string }
  /** A revision was expected, but the record has another one. */
  | { readonly code: 'conflict'; readonly key: string; readonly current: StoredRecord }
  /** The requested revision is older than `oldest`, the oldest readable one. */
  | { readonly code: 'compacted'; readonly revision: number; readonly oldest: number }
  /** The requested revision is newer than `current`. */
  | { readonly code: 'future revision'; readonly revision: number; readonly current: number }
  /** `what` (`key`, `value`, `commit`, `writes`) exceeds `limit`. */
  | {
      readonly code: 'too large';
      readonly what: 'key' | 'value' | 'commit' | 'writes';
      readonly limit: number;
    }
  /** The key of the record is missing, the record fails authentication, or it is {@link DAMAGED}. */
  | {
      readonly code: 'undecryptable';
      readonly key: string;
      readonly revision: number;
      readonly keyName: string;
    }
  /**
   * The store is unreachable. `outcome` of a commit: `'none'` if certainly nothing was written, `'unknown'` if it may
   * have been. `reason` is for the log and has no values. `asked`: false if the circuit breaker answered and the store
   * was not asked. `clients`: one sentence that may be sent to clients.
   */
  | {
      readonly code: 'unavailable';
      readonly reason: string;
      readonly outcome: 'none' | 'unknown';
      readonly asked?: false;
      readonly clients?: string;
    };

export class StorageError extends Error {
  override readonly name = 'StorageError';
  constructor(
    readonly failure: StorageFailure,
    options?: ErrorOptions,
  ) {
    super(describeFailure(failure), options);
  }
}

/** One sentence for the log, with keys and revisions but never values. */
export function describeFailure(failure: StorageFailure): string {
  switch (failure.code) {
    case 'exists':
      return `key ${failure.key} exists at revision ${failure.current.revision}`;
    case 'not found':
      return `key ${failure.key} not found`;
    case 'conflict':
      return `key ${failure.key} is at revision ${failure.current.revision}`;
    case 'compacted':
      return `revision ${failure.revision} is compacted; the oldest is ${failure.oldest}`;
    case 'future revision':
      return `revision ${failure.revision} is in the future; the newest is ${failure.current}`;
    case 'too large':
      return `${failure.what} over the limit of ${failure.limit}`;
    case 'undecryptable':
      return describeUnreadable(failure.key, failure.keyName);
    case 'unavailable':
      return `storage unavailable: ${failure.reason}`;
  }
}

function describeUnreadable(key: string, keyName: string): string {
  if (keyName === DAMAGED)
    return `the record at ${key} is damaged: it is not what was written; restore the store, or delete the object (docs/encryption.md)`;
  if (keyName === 'identity') return `the record at ${key} is not encrypted, and must be`;
  return `the record at ${key} cannot be decrypted with key ${keyName}`;
}

/** Throws StorageError `undecryptable` for a record that is one. */
export function refuseUnreadable(record: StoredRecord | undefined): void {
  if (record?.undecryptable === undefined) return;
  const { key, revision, undecryptable: keyName } = record;
  throw new StorageError({ code: 'undecryptable', key, revision, keyName });
}

/** The exclusive end of the range of all keys with `prefix` (which must end below U+10FFFF, e.g. with `/`). */
export function prefixEnd(prefix: string): string {
  const last = prefix.codePointAt(prefix.length - 1);
  if (last === undefined || last >= 0x10ffff)
    throw new RangeError('a prefix must end in a character below U+10FFFF');
  return prefix.slice(0, -1) + String.fromCodePoint(last + 1);
}
