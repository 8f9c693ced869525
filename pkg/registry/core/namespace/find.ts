import type { Entry } from '../../../cache/interface.js';
import type { ResourceStore } from '../../generic/resourcestore.js';
import { readStored } from '../../generic/resourcestore.js';

/** The namespace as the cache has it, or as the store has it: where the cache has none, or it is asked to bypass it. */
export async function findNamespace(
  stores: readonly ResourceStore[],
  name: string,
  bypassCache = false,
): Promise<Entry | undefined> {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  if (namespaces === undefined) return undefined;
  const cached = bypassCache ? undefined : namespaces.cache.latest().get(name);
  return cached ?? readStored(namespaces, '', name);
}
