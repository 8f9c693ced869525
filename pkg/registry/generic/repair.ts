/** Repairs the effects of an object that other writers changed. */
import { StatusError } from '../../apimachinery/errors.js';
import type { Guard } from '../../storage/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { Change } from '../transaction/effects.js';
import { objectPath } from '../keys.js';
import { Peers } from './peers.js';
import type { ResourceStore } from './resourcestore.js';
import { storeKey } from './resourcestore.js';
import { CACHE_TIMEOUT_MS } from './waitforcache.js';

/**
 * Concurrent commits of one object may undo each other's effects at another API server. Each therefore checks, when
 * it ends, that the effects match the object at its revision or a later one. If that fails now, a later writer
 * repairs them.
 */
export async function repairObjects(
  store: ResourceStore,
  changes: readonly Change[],
  revision: number,
): Promise<void> {
  if (changes.length === 0) return;
  if (!(await store.cache.reach(revision, CACHE_TIMEOUT_MS))) return;
  for (const change of changes) {
    const { namespace = '', name = '' } = (change.next ?? change.previous)?.metadata ?? {};
    try {
      await repairObject(store, namespace, name, change);
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof StatusError)) throw error;
    }
  }
}

/** Repairs the effects of an object, if it exists. Throws StorageError if the object changes meanwhile. */
export async function repairObject(
  store: ResourceStore,
  namespace: string,
  name: string,
  { requester, now }: Pick<Change, 'requester' | 'now'>,
): Promise<void> {
  const { strategy, storage, cache } = store;
  const live = cache.latest().get(objectPath(store.definition, namespace, name));
  if (live === undefined || strategy.repair === undefined) return;
  const change: Change = { next: live.object(), previous: undefined, requester, now, dryRun: false };
  const objects = new Peers(store, change, new Map());
  const { writes, guards } = await strategy.repair(change, objects);
  if (writes.length === 0) return;
  const unchanged: Guard = { key: storeKey(store, namespace, name), expect: live.revision };
  const { revisions } = await storage.commit(writes, [unchanged, ...guards]);
  if (objects.decideAccess) await cache.reach(Math.max(...revisions), CACHE_TIMEOUT_MS);
}
