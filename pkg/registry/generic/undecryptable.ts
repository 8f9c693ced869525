/** Objects whose records cannot be decrypted, or are damaged: told as such, left out of lists (or named), and deleted where that is asked for. */
import type { Entry } from '../../cache/interface.js';
import type { Undecryptable } from '../../storage/encryption/interface.js';
import { StorageError } from '../../storage/interface.js';
import type { Write } from '../../storage/interface.js';
import { objectPath } from '../keys.js';
import type { ResourceStore } from './resourcestore.js';
import { storeKey } from './resourcestore.js';
import type { Transaction } from '../transaction/transaction.js';

/** What is known of an object that cannot be decrypted. */
export function findUndecryptable(
  { cache, definition }: Pick<ResourceStore, 'cache' | 'definition'>,
  namespace: string,
  name: string,
): Undecryptable | undefined {
  const all = cache.undecryptable();
  return all.size === 0 ? undefined : all.get(objectPath(definition, namespace, name));
}

/** Whether an entry is the name alone of what cannot be read, as lists of its kind have it. */
export function isPlaceholder(store: ResourceStore, { namespace, name, revision }: Entry): boolean {
  const lost = findUndecryptable(store, namespace, name);
  return lost !== undefined && revision <= lost.revision;
}

/** How many objects a list of the namespace leaves out; `''`: of all. */
export function countUndecryptable({ cache }: Pick<ResourceStore, 'cache'>, namespace: string): number {
  const all = cache.undecryptable();
  if (all.size === 0 || namespace === '') return all.size;
  let count = 0;
  for (const path of all.keys()) if (path.startsWith(`${namespace}/`)) count += 1;
  return count;
}

/**
 * The removal of the record of such an object, and of what is kept of its write-only members. Finalizers are ignored, as nobody
 * knows them. The garbage collector deletes dependents, as their owner is gone. Rejects with StorageError.
 */
export async function undecryptableWrites(
  store: ResourceStore,
  namespace: string,
  name: string,
  found: Undecryptable,
): Promise<Transaction['own']> {
  const write = { key: storeKey(store, namespace, name), expect: found.revision };
  const { writeOnlyFields } = store.strategy;
  if (writeOnlyFields === undefined) return [write];
  return [write, ...(await removal(store, writeOnlyFields.recordKey(name)))];
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
