import { USE_RECORDS } from '../../pkg/registry/management/ownedaccesskey/userecord.js';
import { StorageError } from '../../pkg/storage/interface.js';
import type { ActivityParts } from './lastactivity.js';

/** Removes the records of keys that are gone; a server may write one as its key goes. Rejects with StorageError. */
export async function removeStrayUses({ store, uses }: Pick<ActivityParts, 'store' | 'uses'>): Promise<void> {
  const keys = store.cache.latest();
  for (const { name, revision } of uses.latest().entries('')) {
    if (keys.get(name) !== undefined) continue;
    try {
      await store.storage.commit([{ key: USE_RECORDS.prefix + name, expect: revision }]);
    } catch (error) {
      // Another server came first; or the key is there again and was used.
      const settled = error instanceof StorageError && ['not found', 'conflict'].includes(error.failure.code);
      if (!settled) throw error;
    }
  }
}
