/** The contents of a namespace, of all kinds of this server. */
import type { KubeObject } from '../../../api/resource.js';
import { prefixEnd } from '../../storage/interface.js';
import { resourcePrefix } from '../keys.js';
import type { ResourceStore } from './resourcestore.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import type { Content } from '../transaction/effects.js';

/** Limit for each kind of our own store; another API server returns all objects. */
const MAX = 100;

/** Reads from the stores, not from the cache. Rejects with StorageError. */
export async function contentsOf(
  stores: readonly ResourceStore[],
  namespace: string,
): Promise<readonly Content[]> {
  // Skips storage aliases, whose objects are listed as the stored kind.
  const stored = stores.filter(({ definition, form }) => definition.namespaced && form === undefined);
  const found = await Promise.all(stored.map((store) => contentsOfKind(store, namespace)));
  return found.flat();
}

async function contentsOfKind(
  { definition, storage, codec }: ResourceStore,
  namespace: string,
): Promise<Content[]> {
  const start = `${resourcePrefix(definition)}${namespace}/`;
  const { records } = await storage.scan({ start, end: prefixEnd(start) }, { limit: MAX });
  return records.map(({ value, revision }) => ({
    definition,
    object: parseStored<KubeObject>(codec.decode(value, revision)),
  }));
}
