import { clusterScoped } from '../../../../api/resource.js';
import type { Entry } from '../../../cache/interface.js';
import { readStored, type ResourceStore } from '../../resourcestore.js';

/** The namespace from the cache, or from the store if the cache lacks it or is bypassed. */
export async function findNamespace(
  stores: readonly ResourceStore[],
  name: string,
  bypassCache = false,
): Promise<Entry | undefined> {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  if (namespaces === undefined) return undefined;
  const cached = bypassCache ? undefined : namespaces.cache.latest().get(name);
  return cached ?? readStored(namespaces, clusterScoped(name));
}
