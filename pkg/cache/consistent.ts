/** Linearizable reads from the cache: what is the newest revision, and has the cache got there? */
import type { ResourceCache } from './interface.js';
import type { Storage } from '../storage/interface.js';

/**
 * The newest revision, as {@link Storage.currentRevision}, with concurrent calls sharing requests: a call is answered
 * by a request that began after it, and at most one is under way. Errors: `unavailable`.
 */
export function newestRevision(storage: Pick<Storage, 'currentRevision'>): () => Promise<number> {
  let running: Promise<number> | undefined;
  let next: Promise<number> | undefined;

  const settled = (): void => {
    running = undefined;
  };

  function begin(): Promise<number> {
    next = undefined;
    running = storage.currentRevision();
    running.then(settled, settled);
    return running;
  }

  // Its own `settled` has run by then: it was registered first.
  return () =>
    running === undefined && next === undefined
      ? begin()
      : (next ??= (running ?? Promise.resolve()).then(begin, begin));
}

/**
 * Resolves with true once the cache has everything that was committed before the call; with false when it takes
 * longer than `timeoutMs` from the store's answer on (then read the store). Errors: `unavailable`.
 */
export async function reachNewest(
  newest: () => Promise<number>,
  cache: Pick<ResourceCache, 'reach'>,
  timeoutMs: number,
): Promise<boolean> {
  return cache.reach(await newest(), timeoutMs);
}
