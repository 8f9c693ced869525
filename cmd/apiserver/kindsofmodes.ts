/** Which kinds are served in which mode. */
import type { ResourceDefinition } from '../../api/resource.js';
import { resourceName } from '../../pkg/registry/keys.js';
import { KINDS } from '../../pkg/registry/kinds.js';
import type { Registration, StoredKind } from '../../pkg/registry/registry.js';

const MANAGEMENT = 'management.svc.example';

/** Behind another API server: these, where that one does not serve them for us, and all of management. */
const REVIEWS: readonly string[] = [
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
];

/** Kinds of the host that belong to what is served: namespaces, and the roles of what is shared. */
const OF_HOST: readonly string[] = [
  'core/namespaces',
  'rbac.authorization.k8s.io/clusterrolebindings',
  'rbac.authorization.k8s.io/clusterroles',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
  'coordination.k8s.io/leases',
];

export const isManagement = ({ group }: Pick<ResourceDefinition, 'group'>): boolean => group === MANAGEMENT;

/** What this server answers behind another. */
export const AGGREGATED_KINDS: readonly Registration[] = KINDS.filter(
  ({ definition }) => isManagement(definition) || REVIEWS.includes(resourceName(definition)),
);

/** What that other keeps for it. */
export const HOST_KINDS: readonly StoredKind[] = KINDS.filter(
  (kind): kind is StoredKind => !('answer' in kind) && OF_HOST.includes(resourceName(kind.definition)),
);
