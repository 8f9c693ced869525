/** The changes of a store in order, for readers outside its server. */
import { StorageError, type Storage, type StorageEvent } from './interface.js';
import { ALL_KEYS } from './pages.js';

/** Complete commits. */
export interface Changes {
  readonly events: readonly StorageEvent[];
  /** All commits up to this revision were returned. */
  readonly revision: number;
}

/** Continues where the last call ended. One call at a time. */
export interface ChangeReader {
  /**
   * Returns at least what was committed before the call. The iteration throws StorageError, `compacted` when
   * changes are missing.
   */
  untilNow(): AsyncIterable<Changes>;
  close(): void;
}

/** Reads changes by a watch of the engine. */
export function watchedChanges(
  storage: Pick<Storage, 'watch' | 'currentRevision'>,
  after: number,
): ChangeReader {
  const watch = storage.watch(ALL_KEYS, { after });
  const batches = watch[Symbol.asyncIterator]();
  let position = after;
  return {
    async *untilNow() {
      const wanted = await storage.currentRevision();
      while (position < wanted) {
        const step = await batches.next();
        if (step.done === true)
          throw new StorageError({ code: 'unavailable', reason: 'the watch has ended', outcome: 'none' });
        position = step.value.revision;
        yield step.value;
      }
    },
    close: () => watch.cancel(),
  };
}
