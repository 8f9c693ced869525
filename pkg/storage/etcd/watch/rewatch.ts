/** Revision watches that are reopened when they end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdClient } from '../client.js';
import {
  HistoryCompacted,
  openRevisionWatch,
  type RevisionWatch,
  type RevisionWatchItem,
} from './revisionwatch.js';
import type { KeySpace } from '../keyspace.js';

const FIRST_BACKOFF_MS = 50;
const LAST_BACKOFF_MS = 1_000;

export interface RewatchSteps {
  readonly wanted: () => boolean;
  /** The first etcd revision of the next watch. */
  readonly start: () => number;
  readonly onOpen: (watch: RevisionWatch) => void;
  readonly onItem: (item: RevisionWatchItem) => Promise<void> | void;
  /** Called when a watch has ended or could not be opened. */
  readonly onClose?: () => void;
}

/**
 * Watches everything under the prefix, reopening the watch while it is wanted, or until its start was
 * compacted.
 */
export async function rewatch(
  client: EtcdClient,
  keys: KeySpace,
  { wanted, start, onOpen, onItem, onClose }: RewatchSteps,
  signal: AbortSignal,
): Promise<HistoryCompacted | undefined> {
  let backoff = FIRST_BACKOFF_MS;
  while (wanted()) {
    let opened: RevisionWatch | undefined;
    const asked = client.endpoint();
    try {
      opened = await openRevisionWatch(client, keys.whole, start());
      if (!wanted()) return undefined;
      onOpen(opened);
      for await (const item of opened) {
        backoff = FIRST_BACKOFF_MS;
        await onItem(item);
        if (!wanted()) return undefined;
      }
    } catch (error) {
      if (error instanceof HistoryCompacted) return error;
    } finally {
      onClose?.();
      opened?.cancel();
    }
    if (!wanted()) return undefined;
    client.leave(asked);
    await sleep(backoff, undefined, { signal }).catch(() => undefined);
    backoff = Math.min(backoff * 2, LAST_BACKOFF_MS);
  }
  return undefined;
}
