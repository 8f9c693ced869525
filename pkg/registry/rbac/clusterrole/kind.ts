import { ClusterRole } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import type { StoredKind } from '../../registry.js';
import { clusterRoleStrategy } from './strategy.js';

export const kind: StoredKind<typeof ClusterRole> = {
  definition: ClusterRole,
  strategy: clusterRoleStrategy,
};
