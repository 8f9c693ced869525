import { resourcePrefix } from '../keys.js';
import type { ResourceStore } from '../resourcestore.js';
import { CACHE_TIMEOUT_MS } from '../transaction/waitforcache.js';

/** Records of one commit. */
const MAX = 50;

/**
 * Removes stored records that are not served, as objects of their names are derived. Returns whether there may be more.
 * Throws StorageError if one of them has changed.
 */
export async function removeShadowed({
  definition,
  cache,
  storage,
}: Pick<ResourceStore, 'definition' | 'cache' | 'storage'>): Promise<boolean> {
  const records = [...cache.shadowed()].slice(0, MAX);
  if (records.length === 0) return false;
  const prefix = resourcePrefix(definition);
  const { revisions } = await storage.commit(
    records.map(([path, expect]) => ({ key: prefix + path, expect })),
  );
  await cache.reach(Math.max(...revisions), CACHE_TIMEOUT_MS);
  return true;
}
