import type { ResourceCache } from '../../cache/interface.js';
import type { Storage } from '../../storage/interface.js';

/** What the verbs use of a storage. */
export type RecordStorage = Pick<Storage, 'get' | 'scan' | 'commit'>;

/** A cache that does not follow its store must not hold up writes for ever. */
export const CACHE_TIMEOUT_MS = 3_000;

/** Commits are answered when `cache` has them: what this server decides by its cache counts them at once. */
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
