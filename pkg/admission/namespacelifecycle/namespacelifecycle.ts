/** New objects need an active namespace (Kubernetes' plugin of this name). */
import { forbidden, notFound } from '../../apimachinery/errors.js';
import type { KubeObject } from '../../../api/resource.js';
import type { AdmissionPlugin } from '../chain.js';

/** The namespace as it is now, or undefined. */
export type FindNamespace = (name: string) => Promise<KubeObject | undefined>;

export function namespaceLifecycle(findNamespace: FindNamespace): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async validate({ definition, operation, namespace, name }, object) {
      if (operation !== 'CREATE' || namespace === '' || object === undefined) return;
      const found = await findNamespace(namespace);
      if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
      if (found.metadata.deletionTimestamp === undefined) return;
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
