import type { Cache } from '../../cache/interface.js';
import type { RbacCaches } from './policy.js';

const GROUP = 'rbac.authorization.k8s.io';

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
