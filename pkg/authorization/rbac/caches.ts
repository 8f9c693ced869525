import type { Cache, ResourceCache } from '../../cache/interface.js';

const GROUP = 'rbac.authorization.k8s.io';

/** The caches of the four kinds. */
export interface RbacCaches {
  /** Whether a role or binding of this name grants nothing here, as the rights that it represents are read elsewhere. */
  readonly isIgnored: (this: void, name: string) => boolean;
  readonly roles: ResourceCache;
  readonly clusterRoles: ResourceCache;
  readonly roleBindings: ResourceCache;
  readonly clusterRoleBindings: ResourceCache;
}

/** `isIgnored` absent: no role is ignored. Throws RangeError when the kinds are not served. */
export function rbacCaches(cache: Cache, isIgnored: RbacCaches['isIgnored'] = () => false): RbacCaches {
  return {
    isIgnored,
    roles: cache.resource(`${GROUP}/roles`),
    clusterRoles: cache.resource(`${GROUP}/clusterroles`),
    roleBindings: cache.resource(`${GROUP}/rolebindings`),
    clusterRoleBindings: cache.resource(`${GROUP}/clusterrolebindings`),
  };
}

/** Of the four kinds. */
export const allOf = ({
  roles,
  clusterRoles,
  roleBindings,
  clusterRoleBindings,
}: RbacCaches): ResourceCache[] => [roles, clusterRoles, roleBindings, clusterRoleBindings];
