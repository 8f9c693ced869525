/** The admission plugins, in the order in which they run. */
import { admissionChain } from '../admission/chain.js';
import { namespaceLifecycle } from '../admission/namespacelifecycle/namespacelifecycle.js';
import type { Admission } from '../registry/admission.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import { readStored } from '../registry/resourcestore.js';

export function admissionPlugins(stores: readonly ResourceStore[]): Admission {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  if (namespaces === undefined) return admissionChain([]);
  return admissionChain([
    namespaceLifecycle(async (name) => {
      const entry = namespaces.cache.latest().get(name) ?? (await readStored(namespaces, '', name));
      return entry?.object();
    }),
  ]);
}
