/**
 * Fills an empty store with the records of a backup. The process may be killed at any time: servers refuse an
 * incomplete store, and the next restore starts again from the beginning.
 */
import { createHash, randomUUID } from 'node:crypto';
import { formatServers, SERVERS_KEY, serversIn } from '../encryption/serversrecord.js';
import { STATE_KEY } from '../encryption/openencrypted.js';
import {
  MAX_COMMIT_WRITES,
  StorageError,
  type Guard,
  type Storage,
  type StoredRecord,
  type Write,
} from '../interface.js';
import { ALL_KEYS, pagesOf } from '../pages.js';
import { RESTORE_KEY } from '../unfinished.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

const COMMIT_BYTES = 512 * 1024;
/** The maximum number of concurrent commits, which share syncs of the disk. */
const COMMITS = 8;
const PAGE_RECORDS = 200;
/** The records that a server writes first. If one of them exists, the store is not empty. */
export const SERVER_RECORDS: readonly string[] = ['identity/cluster', SERVERS_KEY, STATE_KEY];

/** The store is not empty, so nothing was changed. The message is one line, for the operator. */
export class NotEmpty extends Error {
  override readonly name = 'NotEmpty';
}

/** Another restore into this store has started since, so this one must stop. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
  constructor() {
    super('another restore has taken the store, and this one was ended: wait for the other');
  }
}

/** The restore that owns the store, identified in the record {@link RESTORE_KEY}. */
export interface BegunRestore {
  readonly id: string;
}

/**
 * Claims the store, which must be empty or contain the records of an interrupted restore. Rejects with NotEmpty and
 * StorageError.
 */
export async function beginRestore(engine: Storage): Promise<BegunRestore> {
  const id = randomUUID();
  const value = Buffer.from(JSON.stringify({ id, time: new Date().toISOString() }));
  const { record } = await engine.get(RESTORE_KEY);
  if (record !== undefined) {
    await engine.commit([{ key: RESTORE_KEY, value, expect: record.revision }]);
    return { id };
  }
  const { records } = await engine.scan(ALL_KEYS, { limit: 1 });
  if (records.length > 0) throw notEmpty();
  const guards = SERVER_RECORDS.map((key): Guard => ({ key, expect: 'absent' }));
  try {
    await engine.commit([{ key: RESTORE_KEY, value, expect: 'absent' }], guards);
  } catch (error) {
    throw error instanceof StorageError && error.failure.code === 'exists' ? notEmpty() : error;
  }
  return { id };
}

const notEmpty = (): NotEmpty =>
  new NotEmpty(
    'the store is not empty: a restore takes an empty one, or one that an earlier restore did not finish; nothing was changed',
  );

/**
 * Writes all records, in any order, and verifies that the store then contains exactly these. The restore is complete
 * once this resolves. Returns the number of records. Rejects with StorageError, TakenOver, Error if another process
 * writes to the store, and as `pages`.
 */
export async function fillStore(
  engine: Storage,
  begun: BegunRestore,
  pages: AsyncIterable<readonly StoredRecord[]>,
): Promise<number> {
  try {
    return await fillMarked(engine, begun, pages);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { failure } = error;
    const isTaken =
      (failure.code === 'conflict' || failure.code === 'not found') && failure.key === RESTORE_KEY;
    throw isTaken ? new TakenOver() : error;
  }
}

async function fillMarked(
  engine: Storage,
  { id }: BegunRestore,
  pages: AsyncIterable<readonly StoredRecord[]>,
): Promise<number> {
  const revision = await claimedRevision(engine, id);
  const guard: Guard = { key: RESTORE_KEY, expect: revision };
  await wipe(engine, guard);
  const digest = new Digest();
  const queue = new Commits(engine, guard);
  for await (const page of pages)
    for (const record of page) {
      const { key } = record;
      const value = key === SERVERS_KEY ? withoutServers(record.value) : record.value;
      digest.add(key, value);
      await queue.add({ key, value, expect: 'absent', overhead: value.length });
    }
  await queue.end();
  const found = await digestOf(engine);
  if (found.text !== digest.text)
    throw new Error('the store does not have what was restored: another process writes to it; run it again');
  await engine.commit([{ key: RESTORE_KEY, expect: revision }]);
  return digest.records;
}

/** Removes the servers at the time of the backup, so that no server waits for them. */
const withoutServers = (value: Buffer): Buffer => formatServers({ ...serversIn(value), servers: {} });

async function claimedRevision(engine: Storage, id: string): Promise<number> {
  const { record } = await engine.get(RESTORE_KEY);
  const found = record && parseStored<{ readonly id?: unknown }>(record.value);
  if (record === undefined || found?.id !== id) throw new TakenOver();
  return record.revision;
}

async function wipe(engine: Storage, guard: Guard): Promise<void> {
  const queue = new Commits(engine, guard);
  for await (const page of pagesOf(engine, ALL_KEYS, { limit: PAGE_RECORDS }))
    for (const { key } of page) if (key !== RESTORE_KEY) await queue.add({ key, expect: 'any' });
  await queue.end();
}

/** Writes in commits of bounded size, with several commits at a time. */
class Commits {
  private writes: Write[] = [];
  private bytes = 0;
  private readonly underWay = new Set<Promise<unknown>>();
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly engine: Storage,
    private readonly guard: Guard,
  ) {}

  async add(write: Write): Promise<void> {
    const bytes = write.key.length + (write.value?.length ?? 0);
    if (this.writes.length === MAX_COMMIT_WRITES - 1 || this.bytes + bytes > COMMIT_BYTES) await this.send();
    this.writes.push(write);
    this.bytes += bytes;
  }

  /** Rejects with the error of the first commit that failed. */
  async end(): Promise<void> {
    await this.send();
    await Promise.all(this.underWay);
    if (this.failure !== undefined) throw this.failure.error;
  }

  private async send(): Promise<void> {
    const { writes } = this;
    [this.writes, this.bytes] = [[], 0];
    if (writes.length > 0) {
      const commit = this.engine.commit(writes, [this.guard]).then(
        () => undefined,
        (error: unknown) => void (this.failure ??= { error }),
      );
      this.underWay.add(commit);
      void commit.then(() => this.underWay.delete(commit));
    }
    if (this.underWay.size >= COMMITS) await Promise.race(this.underWay);
    if (this.failure !== undefined) {
      await Promise.all(this.underWay);
      throw this.failure.error;
    }
  }
}

const HASHES = 1n << 256n;

/** A digest of keys and values that does not depend on their order: the sum of their hashes. */
class Digest {
  records = 0;
  private sum = 0n;

  add(key: string, value: Buffer): void {
    this.records += 1;
    const hash = createHash('sha256')
      .update(`${Buffer.byteLength(key)} ${value.length} ${key}`)
      .update(value);
    this.sum = (this.sum + BigInt(`0x${hash.digest('hex')}`)) % HASHES;
  }

  get text(): string {
    return `${this.records} ${this.sum}`;
  }
}

async function digestOf(engine: Storage): Promise<Digest> {
  const digest = new Digest();
  const revision = await engine.currentRevision();
  for await (const page of pagesOf(engine, ALL_KEYS, { limit: PAGE_RECORDS, revision }))
    for (const { key, value } of page) if (key !== RESTORE_KEY) digest.add(key, value);
  return digest;
}
