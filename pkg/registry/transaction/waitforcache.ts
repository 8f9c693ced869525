import type { ResourceCache } from '../../cache/interface.js';
import type { Storage } from '../../storage/interface.js';

/** The part of a storage that the verbs use. */
export type RecordStorage = Pick<Storage, 'get' | 'scan' | 'commit'>;

/** A cache that stopped following its store must not block writes. */
export const CACHE_TIMEOUT_MS = 3_000;

/** Delays the result of commits until `cache` has them, so that decisions by the cache include them. */
export function waitForCache(storage: RecordStorage, cache: Pick<ResourceCache, 'reach'>): RecordStorage {
  return {
    get: (...args) => storage.get(...args),
    scan: (...args) => storage.scan(...args),
    async commit(...args) {
      const result = await storage.commit(...args);
      await cache.reach(Math.max(...result.revisions), CACHE_TIMEOUT_MS);
      return result;
    },
  };
}
