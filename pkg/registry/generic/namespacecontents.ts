/** What is in a namespace, of all kinds that are known here. */
import type { KubeObject } from '../../../api/resource.js';
import { prefixEnd } from '../../storage/interface.js';
import { resourcePrefix } from '../keys.js';
import type { ResourceStore } from './resourcestore.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';
import type { Content } from '../transaction/effects.js';

/** At most so many of a kind of our own are read; another API server tells all. */
const MOST = 100;

/** As the stores have it now, 100 objects of each kind at most. Rejects with StorageError. */
export async function contentsOf(
  stores: readonly ResourceStore[],
  namespace: string,
): Promise<readonly Content[]> {
  // What is there in two forms is there once.
  const kept = stores.filter(({ definition, form }) => definition.namespaced && form === undefined);
  const found = await Promise.all(kept.map((store) => contentsOfKind(store, namespace)));
  return found.flat();
}

async function contentsOfKind(
  { definition, storage, codec }: ResourceStore,
  namespace: string,
): Promise<Content[]> {
  const start = `${resourcePrefix(definition)}${namespace}/`;
  const { records } = await storage.scan({ start, end: prefixEnd(start) }, { limit: MOST });
  return records.map(({ value, revision }) => ({
    definition,
    object: parseStored<KubeObject>(codec.decode(value, revision)),
  }));
}
