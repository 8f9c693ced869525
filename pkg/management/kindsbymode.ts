/** The kinds that are served in each mode. */
import type { ResourceDefinition } from '../../api/resource.js';
import { resourceName } from '../registry/keys.js';
import { KINDS } from './kinds.js';
import type { Registration, StoredKind } from '../registry/registry.js';
import { isHostKind } from '../storage/host/storages.js';

const MANAGEMENT = 'management.svc.example';

/** In aggregated mode: these, unless the host serves them, and all of management. */
const REVIEWS: readonly string[] = [
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
];

export const isManagement = ({ group }: Pick<ResourceDefinition, 'group'>): boolean => group === MANAGEMENT;

/** The kinds of this server in aggregated mode. */
export const AGGREGATED_KINDS: readonly Registration[] = KINDS.filter(
  ({ definition }) => isManagement(definition) || REVIEWS.includes(resourceName(definition)),
);

/** The kinds that the host stores: namespaces, and the roles of shared objects. */
export const HOST_KINDS: readonly StoredKind[] = KINDS.filter(
  (kind): kind is StoredKind => !('answer' in kind) && isHostKind(kind.definition),
);

/** The definitions of kinds with a path, in the order of discovery. */
export function definitionsOf(kinds: readonly Registration[]): ResourceDefinition[] {
  const stored = kinds.filter((kind) => !('answer' in kind));
  const virtual = kinds.filter((kind) => 'answer' in kind && kind.below === undefined);
  return [...stored, ...virtual].map(({ definition }) => definition);
}
