/** One watch of etcd, as complete revisions in order. */
import type { IEvent, IWatchResponse } from 'etcd3';
import type { EtcdClient, WatchStream } from '../client.js';
import type { ByteRange } from '../keyspace.js';

/** All events that one etcd revision has in the range, in the order of its transaction. */
export interface RawRevision {
  readonly etcdRevision: number;
  readonly events: readonly IEvent[];
}

export interface RevisionWatchItem {
  readonly revisions: readonly RawRevision[];
  /** Every event of the range up to this etcd revision has been delivered, this item included. */
  readonly upTo: number;
}

/**
 * Iterates once. The first item says that etcd has confirmed the watch. Throws {@link HistoryCompacted}, or
 * the error of the stream.
 */
export interface RevisionWatch extends AsyncIterable<RevisionWatchItem> {
  /** Requests an item without revisions, which arrives after everything before it. */
  requestProgress(): void;
  /** Ends the iteration with an error. */
  cancel(): void;
}

export class HistoryCompacted extends Error {
  /** @param etcdRevision the oldest readable one */
  constructor(readonly etcdRevision: number) {
    super(`etcd has compacted its history up to ${etcdRevision}`);
  }
}

/**
 * @param start the first etcd revision delivered, at least 2. The one before it must not be compacted: the
 *   request starts there, as the rest of a compacted revision lacks its deletes.
 */
export async function openRevisionWatch(
  client: EtcdClient,
  range: ByteRange,
  start: number,
): Promise<RevisionWatch> {
  const stream = await client.openWatch();
  let open = true;
  stream.on('error', () => {
    open = false;
  });
  stream.write({ create_request: { ...range, start_revision: Math.max(1, start - 1), fragment: true } });
  return {
    [Symbol.asyncIterator]: () => itemsOf(client, stream, start),
    requestProgress: () => {
      if (open) stream.write({ progress_request: {} });
    },
    cancel: () => {
      if (!open) return;
      open = false;
      // Ended first, as the package takes an error on a writable stream for an error of the host.
      stream.end();
      stream.cancel();
    },
  };
}

async function* itemsOf(
  { identity }: EtcdClient,
  stream: WatchStream,
  start: number,
): AsyncGenerator<RevisionWatchItem, void> {
  /** Events of a revision that continues in the next fragment. */
  let held: IEvent[] = [];
  for await (const response of stream) {
    identity.checkCluster(response.header);
    checkAlive(response);
    if (response.created) {
      yield { revisions: [], upTo: start - 1 };
      continue;
    }
    if (response.events.length === 0) {
      if (!response.fragment) yield { revisions: [], upTo: Number(response.header.revision) };
      continue;
    }
    const events = held.length === 0 ? response.events : [...held, ...response.events];
    const revisions = byRevision(events);
    const unfinished = response.fragment ? revisions.pop() : undefined;
    held = unfinished === undefined ? [] : [...unfinished.events];
    const upTo = revisions.at(-1)?.etcdRevision;
    if (upTo === undefined) continue;
    yield { revisions: revisions.filter(({ etcdRevision }) => etcdRevision >= start), upTo };
  }
  throw new Error('etcd ended the watch');
}

function checkAlive({ canceled, compact_revision, cancel_reason }: IWatchResponse): void {
  if (!canceled) return;
  if (compact_revision !== '0') throw new HistoryCompacted(Number(compact_revision));
  throw new Error(`etcd cancelled the watch: ${cancel_reason}`);
}

/** Groups ordered events by revision. */
function byRevision(events: readonly IEvent[]): RawRevision[] {
  const revisions: { etcdRevision: number; events: IEvent[] }[] = [];
  for (const event of events) {
    const etcdRevision = Number(event.kv.mod_revision);
    const last = revisions.at(-1);
    if (last?.etcdRevision === etcdRevision) last.events.push(event);
    else revisions.push({ etcdRevision, events: [event] });
  }
  return revisions;
}
