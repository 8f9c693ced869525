import type { KeyRange, ScanResult, Storage, StorageEvent, StorageWatch } from '../storage/interface.js';

const RETRY_MS = 500;

/** Receives the records of a range. */
export interface RangeFollower {
  /** Called with all records: first, and again after a watch was interrupted. */
  reset(all: ScanResult): void;
  /** Called with at least one event; writes outside the range are not reported. */
  changed(events: readonly StorageEvent[]): void;
}

/**
 * Watches a range until it is closed. While the store is unavailable the last state stands. Rejects with
 * StorageError when the first read fails.
 */
export async function followRange(
  storage: Storage,
  range: KeyRange,
  follower: RangeFollower,
): Promise<{ close(): void }> {
  let closed = false;
  let watch: StorageWatch | undefined;
  let pause: NodeJS.Timeout | undefined;

  function install(all: ScanResult): void {
    follower.reset(all);
    watch = storage.watch(range, { after: all.revision });
    void follow(watch);
  }
  const follow = async (watched: StorageWatch): Promise<void> => {
    try {
      for await (const { events } of watched) if (events.length > 0) follower.changed(events);
    } catch {
      retry();
    }
  };
  const retry = (): void => {
    if (!closed) pause = setTimeout(() => void restart(), RETRY_MS).unref();
  };
  const restart = async (): Promise<void> => {
    try {
      const all = await storage.scan(range);
      if (!closed) install(all);
    } catch {
      retry();
    }
  };
  install(await storage.scan(range));
  return {
    close() {
      closed = true;
      clearTimeout(pause);
      watch?.cancel();
    },
  };
}
