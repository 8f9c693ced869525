/** What of the past can be read, and what this process knows to be the newest. */
import { FIRST_REVISION, StorageError } from '../interface.js';
import type { StorageEvent } from '../interface.js';
import type { EtcdClient } from './client.js';
import { sharedRead } from './revisioncoalescer.js';
import { decodeRevision } from './watch/events.js';
import { classify, unavailable } from './failure.js';
import { FeedCompacted, openFeed } from './watch/revisionwatch.js';
import type { KeySpace } from './keyspace.js';
import { compactionTarget, newestOf } from './revision.js';

export interface History {
  /** The newest revision that this process has seen: every commit answered to it and every read. */
  known(): number;
  note(revision: number): void;
  /** The newest revision, linearizable. */
  current(): Promise<number>;
  /** @throws StorageError `compacted` when it is known without asking that `revision` is gone. */
  checkReadable(revision: number): void;
  /** The error for a `revision` that etcd says is gone. */
  compacted(revision: number): Promise<StorageError>;
  compact(revision: number): Promise<void>;
  /** The events of an etcd revision, whose predecessor can be read. */
  eventsOf(etcdRevision: number): Promise<readonly StorageEvent[]>;
}

const EVENTS_DEADLINE_MS = 4_000;
const PROGRESS_EVERY_MS = 50;
const COMPACT_DEADLINE_MS = 5_000;

export function history(client: EtcdClient, keys: KeySpace): History {
  let known = FIRST_REVISION;
  /** Reads before this fail. */
  let oldest = FIRST_REVISION;
  const note = (revision: number) => {
    known = Math.max(known, revision);
  };

  const current = sharedRead(async () => {
    try {
      const revision = newestOf(await client.headRevision());
      note(revision);
      return revision;
    } catch (error) {
      throw unavailable(error, 'none');
    }
  });

  const compactedError = (revision: number) =>
    new StorageError({ code: 'compacted', revision, oldest: Math.max(oldest, revision + 1) });

  /** etcd tells how far it has compacted only to a watch that asks for something older. */
  async function learnOldest(): Promise<void> {
    await firstOf(client, keys, 2).catch((error: unknown) => {
      if (error instanceof FeedCompacted) oldest = Math.max(oldest, newestOf(error.etcdRevision));
    });
  }

  async function compact(revision: number): Promise<void> {
    if (revision > known && revision > (await current())) {
      throw new StorageError({ code: 'future revision', revision, current: known });
    }
    const target = compactionTarget(revision);
    try {
      if (target >= 1) {
        await client.once(
          (etcd, options) => etcd.kv.compact({ revision: target }, options),
          COMPACT_DEADLINE_MS,
        );
      }
    } catch (error) {
      if (classify(error) !== 'compacted') throw unavailable(error, 'unknown');
    }
    oldest = Math.max(oldest, revision);
  }

  async function eventsOf(etcdRevision: number): Promise<readonly StorageEvent[]> {
    const revision = newestOf(etcdRevision);
    if (revision > known && revision > (await current())) {
      throw new StorageError({ code: 'future revision', revision, current: known });
    }
    const raw = await firstOf(client, keys, etcdRevision);
    if (raw?.etcdRevision !== etcdRevision) return [];
    const decoded = decodeRevision(keys, raw);
    if (decoded === undefined) throw compactedError(revision - 1);
    return decoded.map(({ event }) => event);
  }

  return {
    known: () => known,
    note,
    current,
    checkReadable: (revision) => {
      if (revision < oldest) throw compactedError(revision);
    },
    compacted: async (revision) => {
      await learnOldest();
      return compactedError(revision);
    },
    compact,
    eventsOf,
  };
}

/** The first revision with events from `start` on; undefined when there is none yet. */
async function firstOf(client: EtcdClient, keys: KeySpace, start: number) {
  const feed = await openFeed(client, keys.whole, start);
  const progress = setInterval(() => feed.requestProgress(), PROGRESS_EVERY_MS);
  const deadline = setTimeout(() => feed.cancel(), EVENTS_DEADLINE_MS);
  try {
    for await (const { revisions, upTo } of feed) {
      if (revisions[0] !== undefined) return revisions[0];
      if (upTo >= start) return undefined;
    }
    return undefined;
  } catch (error) {
    if (error instanceof FeedCompacted) throw error;
    throw unavailable(error, 'none');
  } finally {
    clearInterval(progress);
    clearTimeout(deadline);
    feed.cancel();
  }
}
