import type { ObjectKey } from '../../../api/resource.js';
import { CacheUnavailable, type Entry, type Snapshot } from '../../cache/interface.js';
import { ReadRevision } from '../../cache/watch/consistent.js';
import { futureRevision, notFound } from '../../apimachinery/errors.js';
import { parseResourceVersion } from '../../apimachinery/options/resourceversion.js';
import { StorageError } from '../../storage/interface.js';
import { objectPath } from '../keys.js';
import { readStored, unavailable, type ResourceStore } from '../resourcestore.js';
import { findUndecryptable } from './undecryptable.js';
import { undecryptableError } from '../undecryptableerror.js';

/** The error of a read that only the cache can answer. */
export const CACHE_LATE = 'the cache does not keep up with the store';

/** Timeout of a read that waits for the cache, in ms. */
export const REACH_TIMEOUT = 3000;

/**
 * Returns one object, synchronously if the cache is known to be fresh enough. `resourceVersion`: `''` is the newest,
 * `'0'` any, otherwise a minimum. `revision`: the revision of the request. Throws, and rejects with, StatusError:
 * 400, 404, 500 ServerTimeout, 504 for a future version.
 */
export function getObject(
  store: ResourceStore,
  key: ObjectKey,
  resourceVersion: string,
  revision = new ReadRevision(store.newestRevision),
): Entry | Promise<Entry> {
  const snapshot = resourceVersion === '' ? snapshotNow(store, revision) : undefined;
  if (snapshot !== undefined) return orNotFound(store, key, inSnapshot(store, snapshot, key));
  return objectLater(store, key, resourceVersion, revision);
}

/** A snapshot for a consistent read, if one is known without waiting. */
function snapshotNow({ cache }: ResourceStore, revision: ReadRevision): Snapshot | undefined {
  try {
    return revision.isIn(cache) ? cache.latest() : undefined;
  } catch (error) {
    // The asynchronous read reports the error.
    if (error instanceof StorageError || error instanceof CacheUnavailable) return undefined;
    throw error;
  }
}

const inSnapshot = (store: ResourceStore, snapshot: Snapshot, key: ObjectKey): Entry | undefined =>
  snapshot.get(objectPath(store.definition, key));

async function objectLater(
  store: ResourceStore,
  key: ObjectKey,
  resourceVersion: string,
  revision: ReadRevision,
): Promise<Entry> {
  const entry =
    resourceVersion === ''
      ? await newest(store, key, revision)
      : inSnapshot(store, await snapshotFor(store, resourceVersion), key);
  return orNotFound(store, key, entry);
}

function orNotFound(store: ResourceStore, key: ObjectKey, entry: Entry | undefined): Entry {
  const found = findUndecryptable(store, key);
  // An entry of the same revision is a placeholder for lists and watches; a newer entry replaced the unreadable record.
  if (found !== undefined && (entry?.revision ?? 0) <= found.revision) throw undecryptableError(found);
  if (entry === undefined) throw notFound(store.definition, key.name);
  return entry;
}

/** The object now, from the store unless it is derived. Throws {@link CacheUnavailable}; rejects with StorageError. */
export const liveEntry = (store: ResourceStore, key: ObjectKey): Promise<Entry | undefined> =>
  store.cache.isDerived(key.name)
    ? newest(store, key, new ReadRevision(store.newestRevision))
    : readStored(store, key);

async function newest(
  store: ResourceStore,
  key: ObjectKey,
  revision: ReadRevision,
): Promise<Entry | undefined> {
  const snapshot = await currentSnapshot(store, revision);
  if (snapshot !== undefined) return inSnapshot(store, snapshot, key);
  if (store.cache.isDerived(key.name)) throw new CacheUnavailable(CACHE_LATE);
  try {
    return await readStored(store, key);
  } catch (error) {
    throw error instanceof StorageError ? unavailable(store, 'get', error) : error;
  }
}

/** A snapshot for a consistent read; undefined if the cache does not catch up in time. */
export async function currentSnapshot(
  store: ResourceStore,
  revision: ReadRevision,
): Promise<Snapshot | undefined> {
  try {
    return (await revision.waitFor(store.cache, REACH_TIMEOUT)) ? store.cache.latest() : undefined;
  } catch (error) {
    if (error instanceof CacheUnavailable) return undefined;
    throw error instanceof StorageError ? unavailable(store, 'get', error) : error;
  }
}

/** A snapshot that is at least as new as `resourceVersion`; `'0'` is any. */
export async function snapshotFor(store: ResourceStore, resourceVersion: string): Promise<Snapshot> {
  const wanted = parseResourceVersion(resourceVersion);
  if (wanted > 0 && !(await store.cache.reach(wanted, REACH_TIMEOUT))) {
    throw futureRevision(resourceVersion, store.cache.latest().revision, 1);
  }
  return store.cache.latest();
}
