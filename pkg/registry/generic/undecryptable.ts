/**
 * Objects whose records cannot be decrypted, or are damaged. Reads report them, lists omit them (or have a
 * placeholder), and a delete must ask for it explicitly.
 */
import type { ObjectKey } from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import type { Undecryptable } from '../../storage/encryption/interface.js';
import { StorageError, type Write } from '../../storage/interface.js';
import { objectPath } from '../keys.js';
import { storeKey, type ResourceStore } from '../resourcestore.js';
import type { Transaction } from '../transaction/transaction.js';

/** Finds the record of an object that cannot be decrypted. */
export function findUndecryptable(
  { cache, definition }: Pick<ResourceStore, 'cache' | 'definition'>,
  key: ObjectKey,
): Undecryptable | undefined {
  const all = cache.undecryptable();
  return all.size === 0 ? undefined : all.get(objectPath(definition, key));
}

/** Whether an entry is the placeholder of an unreadable object in a list. */
export function isPlaceholder(store: ResourceStore, entry: Entry): boolean {
  const lost = findUndecryptable(store, entry);
  return lost !== undefined && entry.revision <= lost.revision;
}

/** The number of objects that a list of the namespace omits; `''`: of all namespaces. */
export function countUndecryptable({ cache }: Pick<ResourceStore, 'cache'>, namespace: string): number {
  const all = cache.undecryptable();
  if (all.size === 0 || namespace === '') return all.size;
  let count = 0;
  for (const path of all.keys()) if (path.startsWith(`${namespace}/`)) count += 1;
  return count;
}

/**
 * The deletes of the record and of its write-only fields. Finalizers are ignored, as they cannot be read. The garbage
 * collector deletes dependents, as their owner is gone. Rejects with StorageError.
 */
export async function undecryptableWrites(
  store: ResourceStore,
  key: ObjectKey,
  found: Undecryptable,
): Promise<Transaction['own']> {
  const write = { key: storeKey(store, key), expect: found.revision };
  const { writeOnlyFields } = store.strategy;
  if (writeOnlyFields === undefined) return [write];
  return [write, ...(await removal(store, writeOnlyFields.recordKey(key.name)))];
}

async function removal({ storage }: ResourceStore, key: string): Promise<readonly Write[]> {
  try {
    const { record } = await storage.get(key);
    return record === undefined ? [] : [{ key, expect: record.revision }];
  } catch (error) {
    if (!(error instanceof StorageError) || error.failure.code !== 'undecryptable') throw error;
    return [{ key, expect: error.failure.revision }];
  }
}
