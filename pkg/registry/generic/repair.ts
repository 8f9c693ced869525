/** Makes good what others did to what belongs to an object. */
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
 * Commits of one object that are under way at the same time may undo at another API server what another of them has put
 * there: who ends looks that it is as the object of this revision, or a later one, says. Where that cannot be done now,
 * it is left to who comes later.
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

/**
 * Makes good what others did to what belongs to an object, if the object is there and does not change meanwhile. Throws
 * StorageError where it does.
 */
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
