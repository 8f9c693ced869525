/** Which kinds are served in which mode. */
import type { ResourceDefinition } from '../../../api/resource.js';
import { resourceName } from '../../../pkg/registry/keys.js';
import { KINDS } from '../../../pkg/registry/kinds.js';
import type { Registration, StoredKind } from '../../../pkg/registry/registry.js';
import { isHostKind } from '../../../pkg/storage/host/storages.js';

const MANAGEMENT = 'management.svc.example';

/** Behind another API server: these, where that one does not serve them for us, and all of management. */
const REVIEWS: readonly string[] = [
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
];

export const isManagement = ({ group }: Pick<ResourceDefinition, 'group'>): boolean => group === MANAGEMENT;

/** What this server answers behind another. */
export const AGGREGATED_KINDS: readonly Registration[] = KINDS.filter(
  ({ definition }) => isManagement(definition) || REVIEWS.includes(resourceName(definition)),
);

/** What that other keeps, and belongs to it: namespaces, and the roles of what is shared. */
export const HOST_KINDS: readonly StoredKind[] = KINDS.filter(
  (kind): kind is StoredKind => !('answer' in kind) && isHostKind(kind.definition),
);

/** Of what has a path of its own, in the order of discovery. */
export function definitionsOf(kinds: readonly Registration[]): ResourceDefinition[] {
  const kept = kinds.filter((kind) => !('answer' in kind));
  const asked = kinds.filter((kind) => 'answer' in kind && kind.below === undefined);
  return [...kept, ...asked].map(({ definition }) => definition);
}
