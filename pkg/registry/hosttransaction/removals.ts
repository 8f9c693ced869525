/** Removals at the host after a commit, which can no longer fail: they are retried until the objects are gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../../storage/interface.js';
import type { HostWrite } from './puts.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** How long an unreachable host is retried. */
const PERSISTENCE_MS = 120_000;
/** How many conflicts with other writers are retried. */
const CHASES = 5;

/** Resolves with undefined once the object is gone, or with the last error. */
export async function removeWithRetries({ kind, write }: HostWrite, signal: AbortSignal): Promise<unknown> {
  const until = performance.now() + PERSISTENCE_MS;
  let { expect } = write;
  let chased = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      await kind.storage.commit([{ key: write.key, expect }]);
      return undefined;
    } catch (error) {
      const { failure } = error instanceof StorageError ? error : {};
      if (failure?.code === 'not found') return undefined;
      if (failure?.code === 'conflict' && chased < CHASES) {
        expect = failure.current.revision;
        chased += 1;
        continue;
      }
      if (failure?.code !== 'unavailable' || performance.now() > until) return error;
      // After an outage, a conflict means a later writer, whose object stays.
      chased = CHASES;
      const stopped = await sleep(pause, false, { signal }).catch(() => true);
      if (stopped) return error;
    }
  }
}
