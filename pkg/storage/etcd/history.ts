/** The readable history, and the newest revision that this process knows. */
import { FIRST_REVISION, StorageError, type StorageEvent } from '../interface.js';
import type { EtcdClient } from './client.js';
import { coalesceReads } from '../revisioncoalescer.js';
import { decodeRevision } from './watch/events.js';
import { classify, unavailable } from './failure.js';
import { HistoryCompacted, openRevisionWatch } from './watch/revisionwatch.js';
import type { KeySpace } from './keyspace.js';
import { compactionTarget, newestOf } from './revision.js';

const EVENTS_DEADLINE_MS = 4_000;
const PROGRESS_EVERY_MS = 50;
const COMPACT_DEADLINE_MS = 5_000;

export class History {
  /** The newest revision, linearizable. */
  readonly current: () => Promise<number>;
  private newest = FIRST_REVISION;
  /** Reads before this fail. */
  private oldest = FIRST_REVISION;

  constructor(
    private readonly client: EtcdClient,
    private readonly keys: KeySpace,
  ) {
    this.current = coalesceReads(() => this.readCurrent());
  }

  /** The newest revision in any response to this process. */
  known(): number {
    return this.newest;
  }

  note(revision: number): void {
    this.newest = Math.max(this.newest, revision);
  }

  /** @throws StorageError `compacted` when `revision` is known to be compacted, without asking etcd */
  checkReadable(revision: number): void {
    if (revision < this.oldest) throw this.compactedError(revision);
  }

  /** The error for a `revision` that etcd has compacted. */
  async compacted(revision: number): Promise<StorageError> {
    await this.learnOldest();
    return this.compactedError(revision);
  }

  async compact(revision: number): Promise<void> {
    await this.checkNotFuture(revision);
    const target = compactionTarget(revision);
    try {
      if (target >= 1) {
        await this.client.once(
          (etcd, options) => etcd.kv.compact({ revision: target }, options),
          COMPACT_DEADLINE_MS,
        );
      }
    } catch (error) {
      if (classify(error) !== 'compacted') throw unavailable(error, 'unknown');
    }
    this.oldest = Math.max(this.oldest, revision);
  }

  /** The events of an etcd revision whose predecessor is readable. */
  async eventsOf(etcdRevision: number): Promise<readonly StorageEvent[]> {
    const revision = newestOf(etcdRevision);
    await this.checkNotFuture(revision);
    const raw = await firstOf(this.client, this.keys, etcdRevision);
    if (raw?.etcdRevision !== etcdRevision) return [];
    const decoded = decodeRevision(this.keys, raw);
    if (decoded === undefined) throw this.compactedError(revision - 1);
    return decoded.map(({ event }) => event);
  }

  private async readCurrent(): Promise<number> {
    try {
      const revision = newestOf(await this.client.revisionProbe());
      this.note(revision);
      return revision;
    } catch (error) {
      throw unavailable(error, 'none');
    }
  }

  /** @throws StorageError `future revision` */
  private async checkNotFuture(revision: number): Promise<void> {
    if (revision > this.newest && revision > (await this.current())) {
      throw new StorageError({ code: 'future revision', revision, current: this.newest });
    }
  }

  private compactedError(revision: number): StorageError {
    return new StorageError({ code: 'compacted', revision, oldest: Math.max(this.oldest, revision + 1) });
  }

  /** etcd reports its compaction revision only to a watch from an older one. */
  private async learnOldest(): Promise<void> {
    await firstOf(this.client, this.keys, 2).catch((error: unknown) => {
      if (error instanceof HistoryCompacted)
        this.oldest = Math.max(this.oldest, newestOf(error.etcdRevision));
    });
  }
}

/** The first revision with events from `start` on; undefined: there is none yet. */
async function firstOf(client: EtcdClient, keys: KeySpace, start: number) {
  const watch = await openRevisionWatch(client, keys.whole, start);
  const progress = setInterval(() => watch.requestProgress(), PROGRESS_EVERY_MS);
  const deadline = setTimeout(() => watch.cancel(), EVENTS_DEADLINE_MS);
  try {
    for await (const { revisions, upTo } of watch) {
      if (revisions[0] !== undefined) return revisions[0];
      if (upTo >= start) return undefined;
    }
    return undefined;
  } catch (error) {
    if (error instanceof HistoryCompacted) throw error;
    throw unavailable(error, 'none');
  } finally {
    clearInterval(progress);
    clearTimeout(deadline);
    watch.cancel();
  }
}
