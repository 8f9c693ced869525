import { ClusterRoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import type { StoredKind } from '../../registry.js';
import { bindingStrategy } from '../bindings.js';

/** ClusterRoleBindings grant a ClusterRole in all namespaces. */
export const kind = {
  definition: ClusterRoleBinding,
  strategy: bindingStrategy(['ClusterRole'], false, 'clusterRoleBinding'),
} satisfies StoredKind<typeof ClusterRoleBinding>;
