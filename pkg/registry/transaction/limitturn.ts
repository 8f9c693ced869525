/** Writers that add to the same limit take turns, so that of two concurrent ones the second counts the first. */
import type { ResourceCache } from '../../cache/interface.js';
import type { Write } from '../../storage/interface.js';
import { CACHE_TIMEOUT_MS, type RecordStorage } from './waitforcache.js';

/**
 * Returns the write of the record `key`, to commit with whatever adds to the limit. What `cache` has then includes all
 * earlier writers. Undefined if the cache does not catch up in time.
 */
export async function turnAt(
  { storage, cache }: { readonly storage: RecordStorage; readonly cache: Pick<ResourceCache, 'reach'> },
  key: string,
): Promise<Write | undefined> {
  const { record } = await storage.get(key);
  const write = { key, value: Buffer.from('{}'), expect: record?.revision ?? ('absent' as const) };
  if (record === undefined) return write;
  return (await cache.reach(record.revision, CACHE_TIMEOUT_MS)) ? write : undefined;
}
