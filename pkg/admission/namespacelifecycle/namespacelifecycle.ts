/** New objects need an active namespace (Kubernetes' plugin of this name). */
import { forbidden, notFound } from '../../apimachinery/errors.js';
import type { KubeObject } from '../../../api/resource.js';
import { namespaceKey } from '../../registry/keys.js';
import type { AdmissionPlugin } from '../chain.js';

/** A namespace at a revision. */
interface FoundNamespace {
  readonly revision: number;
  object(): KubeObject;
}

/** The namespace, if it exists. Unless the cache is bypassed, the state may be stale. */
export type FindNamespace = (name: string, bypassCache: boolean) => Promise<FoundNamespace | undefined>;

const isActive = (namespace: FoundNamespace): boolean =>
  namespace.object().metadata.deletionTimestamp === undefined;

export function namespaceLifecycle(findNamespace: FindNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async validate({ definition, operation, namespace, name, bypassCache = false }, object) {
      if (operation !== 'CREATE' || namespace === '' || object === undefined) return;
      const known = await findNamespace(namespace, bypassCache);
      const settled = known === undefined || bypassCache || isActive(known);
      const found = settled ? known : await findNamespace(namespace, true);
      if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
      if (isActive(found)) {
        // The namespace controller would not delete objects that are created later.
        return { preconditions: [{ key: namespaceKey(namespace), expect: found.revision }] };
      }
      throw forbidden(
        definition,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: 'NamespaceTerminating',
            message: `namespace ${namespace} is being terminated`,
            field: 'metadata.namespace',
          },
        ],
      );
    },
  };
}
