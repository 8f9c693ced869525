import { clusterScoped } from '../../../api/resource.js';
import { storeKey, type ResourceStore } from '../../registry/resourcestore.js';
import { ORIGIN_RECORDS } from './originrecord.js';
import { USE_RECORDS } from './userecord.js';
import { unlessMoved } from '../../storage/precondition.js';
import type { ResourceCache } from '../../cache/interface.js';

export interface OrphanParts {
  /** The store of the keys. */
  readonly store: ResourceStore;
  /** The records of their last use. */
  readonly uses: ResourceCache;
  /** The records of the credentials that created them. */
  readonly origins: ResourceCache;
}

/**
 * Removes the records of deleted keys, which a server may write while the key is being deleted. Rejects with
 * StorageError.
 */
export async function removeOrphanedKeyRecords({ store, uses, origins }: OrphanParts): Promise<void> {
  const keys = store.cache.latest();
  const all = [
    ...recordsOf(uses).map((record) => ({ ...record, prefix: USE_RECORDS.prefix })),
    ...recordsOf(origins).map((record) => ({ ...record, prefix: ORIGIN_RECORDS.prefix })),
  ];
  for (const { prefix, name, revision } of all) {
    if (keys.get(name) !== undefined) continue;
    // Another server may be faster, or the key exist again.
    const gone = { key: storeKey(store, clusterScoped(name)), expect: 'absent' } as const;
    await unlessMoved(store.storage.commit([{ key: prefix + name, expect: revision }], [gone]));
  }
}

/** Includes records that cannot be read. */
const recordsOf = (cache: ResourceCache): readonly { name: string; revision: number }[] => [
  ...[...cache.latest().entries('')].map(({ name, revision }) => ({ name, revision })),
  ...Array.from(cache.undecryptable(), ([name, { revision }]) => ({ name, revision })),
];
