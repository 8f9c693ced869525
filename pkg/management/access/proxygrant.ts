/** The grant by which a host lets all authenticated users request our kinds, which this server authorizes. */
import type { KubeObject } from '../../../api/resource.js';
import { ALL } from './rights.js';
import { PROXY_GRANT } from './managednames.js';

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
}

interface Role extends KubeObject {
  readonly rules?: readonly Rule[] | null;
}

interface Binding extends KubeObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly Subject[] | null;
}

const OUR_GROUP = 'management.svc.example';
const EVERYONE = 'system:authenticated';

/** The verbs of requests. */
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/**
 * Whether this ClusterRole and ClusterRoleBinding, both of the name {@link PROXY_GRANT}, are the complete grant.
 * @param plurals the kinds with rights that are read from objects
 */
export function isProxyGrant(
  role: Role | undefined,
  binding: Binding | undefined,
  plurals: readonly string[],
): boolean {
  if (role === undefined || binding === undefined) return false;
  const { rules } = role;
  const { roleRef, subjects } = binding;
  const isBound = roleRef?.kind === 'ClusterRole' && roleRef.name === PROXY_GRANT;
  const isForAll = subjects?.some(({ kind, name }) => kind === 'Group' && name === EVERYONE) === true;
  return isBound && isForAll && rules?.some((rule) => isWhole(rule, plurals)) === true;
}

function isWhole(
  { apiGroups = [], resources = [], resourceNames = [], verbs = [] }: Rule,
  plurals: readonly string[],
): boolean {
  const has = (given: readonly string[], wanted: readonly string[]): boolean =>
    given.includes(ALL) || wanted.every((one) => given.includes(one));
  return (
    has(apiGroups, [OUR_GROUP]) && has(resources, plurals) && has(verbs, VERBS) && resourceNames.length === 0
  );
}
