import type { RbacCaches } from '../../../pkg/authorization/rbac/policy.js';
import { CacheUnavailable, type ResourceCache } from '../../../pkg/cache/interface.js';

const unloaded = (): never => {
  throw new CacheUnavailable('roles and bindings are not loaded yet');
};

const cache = (resource: string): ResourceCache => ({
  resource: `rbac.authorization.k8s.io/${resource}`,
  latest: unloaded,
  subscribe: unloaded,
  at: () => undefined,
  undecryptable: () => new Map(),
  reach: () => Promise.resolve(false),
  revision: () => 0,
});

/** Empty caches, for the time before roles and bindings are loaded. */
export const UNLOADED: RbacCaches = {
  roles: cache('roles'),
  clusterRoles: cache('clusterroles'),
  roleBindings: cache('rolebindings'),
  clusterRoleBindings: cache('clusterrolebindings'),
};
