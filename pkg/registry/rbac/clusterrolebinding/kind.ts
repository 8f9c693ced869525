import { ClusterRoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import type { StoredKind } from '../../registry.js';
import { clusterRoleBindingStrategy } from './strategy.js';

export const kind: StoredKind<typeof ClusterRoleBinding> = {
  definition: ClusterRoleBinding,
  strategy: clusterRoleBindingStrategy,
};
