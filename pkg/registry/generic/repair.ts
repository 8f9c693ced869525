/** Repairs the effects of an object that other writers changed. */
import type { ObjectKey } from '../../../api/resource.js';
import type { Guard } from '../../storage/interface.js';
import type { Change } from '../transaction/effects.js';
import { objectPath } from '../keys.js';
import { Peers } from '../transaction/peers.js';
import { storeKey, type ResourceStore } from '../resourcestore.js';
import { CACHE_TIMEOUT_MS } from '../transaction/waitforcache.js';

/** Repairs the effects of an object, if it exists. Throws StorageError if the object changes meanwhile. */
export async function repairObject(
  store: ResourceStore,
  key: ObjectKey,
  { requester, now }: Pick<Change, 'requester' | 'now'>,
): Promise<void> {
  const { strategy, storage, cache } = store;
  const live = cache.latest().get(objectPath(store.definition, key));
  if (live === undefined || strategy.repair === undefined) return;
  const change: Change = { next: live.object(), previous: undefined, requester, now, dryRun: false };
  const objects = new Peers(store, change, new Map());
  const { writes, guards } = await strategy.repair(change, objects);
  if (writes.length === 0) return;
  const unchanged: Guard = { key: storeKey(store, key), expect: live.revision };
  const { revisions } = await storage.commit(writes, [unchanged, ...guards]);
  if (objects.decideAccess) await cache.reach(Math.max(...revisions), CACHE_TIMEOUT_MS);
}
