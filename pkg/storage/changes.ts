/** The changes of a store in their order, read beside the servers that it has. */
import type { Storage, StorageEvent } from './interface.js';
import { StorageError } from './interface.js';
import { ALL_KEYS } from './pages.js';

/** Whole commits. */
export interface Changes {
  readonly events: readonly StorageEvent[];
  /** All up to here has been answered. */
  readonly revision: number;
}

/** Goes on where the call before ended. One call at a time. */
export interface ChangeReader {
  /**
   * What has been committed before the call, at least. Errors come from the iteration: StorageError, `compacted` where changes
   * are missing.
   */
  untilNow(): AsyncIterable<Changes>;
  close(): void;
}

/** By a watch of the engine. */
export function watchedChanges(
  storage: Pick<Storage, 'watch' | 'currentRevision'>,
  after: number,
): ChangeReader {
  const watch = storage.watch(ALL_KEYS, { after });
  const batches = watch[Symbol.asyncIterator]();
  let reached = after;
  return {
    async *untilNow() {
      const wanted = await storage.currentRevision();
      while (reached < wanted) {
        const step = await batches.next();
        if (step.done === true)
          throw new StorageError({ code: 'unavailable', reason: 'the watch has ended', outcome: 'none' });
        reached = step.value.revision;
        yield step.value;
      }
    },
    close: () => watch.cancel(),
  };
}
