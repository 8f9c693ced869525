import { storeKey } from '../../../pkg/registry/generic/resourcestore.js';
import { ORIGIN_RECORDS } from '../../../pkg/registry/management/ownedaccesskey/originrecord.js';
import { USE_RECORDS } from '../../../pkg/registry/management/ownedaccesskey/userecord.js';
import { StorageError } from '../../../pkg/storage/interface.js';
import type { ActivityParts } from './lastactivity.js';

/** Removes the records of keys that are gone; a server may write one as its key goes. Rejects with StorageError. */
export async function removeOrphanedKeyRecords({
  store,
  uses,
  origins,
}: Pick<ActivityParts, 'store' | 'uses' | 'origins'>): Promise<void> {
  const keys = store.cache.latest();
  const all = [
    ...[...uses.latest().entries('')].map((entry) => ({ entry, prefix: USE_RECORDS.prefix })),
    ...[...origins.latest().entries('')].map((entry) => ({ entry, prefix: ORIGIN_RECORDS.prefix })),
  ];
  for (const { prefix, entry } of all) {
    const { name, revision } = entry;
    if (keys.get(name) !== undefined) continue;
    try {
      const gone = { key: storeKey(store, '', name), expect: 'absent' } as const;
      await store.storage.commit([{ key: prefix + name, expect: revision }], [gone]);
    } catch (error) {
      // Another server came first; or the key is there again.
      const settled =
        error instanceof StorageError && ['not found', 'conflict', 'exists'].includes(error.failure.code);
      if (!settled) throw error;
    }
  }
}
