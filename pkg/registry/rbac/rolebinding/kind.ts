import { RoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import type { StoredKind } from '../../registry.js';
import { bindingStrategy } from '../bindings.js';

/** RoleBindings grant a Role of their namespace, or a ClusterRole within it. */
export const kind = {
  definition: RoleBinding,
  strategy: bindingStrategy(['Role', 'ClusterRole'], true, 'roleBinding'),
} satisfies StoredKind<typeof RoleBinding>;
