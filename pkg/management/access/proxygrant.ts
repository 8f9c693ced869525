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

/** Whether this ClusterRole and ClusterRoleBinding, both of the name {@link PROXY_GRANT}, are the complete grant. */
export function isProxyGrant(role: Role | undefined, binding: Binding | undefined): boolean {
  if (role === undefined || binding === undefined) return false;
  const { rules } = role;
  const { roleRef, subjects } = binding;
  const isBound = roleRef?.kind === 'ClusterRole' && roleRef.name === PROXY_GRANT;
  const isForAll = subjects?.some(({ kind, name }) => kind === 'Group' && name === EVERYONE) === true;
  return isBound && isForAll && rules?.some(isWhole) === true;
}

function isWhole({ apiGroups = [], resources = [], resourceNames = [], verbs = [] }: Rule): boolean {
  const ofGroup = apiGroups.includes(OUR_GROUP) || apiGroups.includes(ALL);
  return ofGroup && resources.includes(ALL) && verbs.includes(ALL) && resourceNames.length === 0;
}
