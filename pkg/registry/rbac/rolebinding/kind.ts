import { RoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import type { StoredKind } from '../../registry.js';
import { roleBindingStrategy } from './strategy.js';

export const kind: StoredKind<typeof RoleBinding> = {
  definition: RoleBinding,
  strategy: roleBindingStrategy,
};
