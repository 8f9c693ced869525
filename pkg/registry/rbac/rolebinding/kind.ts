import { RoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/rolebinding.js';
import type { Registration } from '../../registry.js';
import { roleBindingStrategy } from './strategy.js';

export const kind: Registration = { definition: RoleBinding, strategy: roleBindingStrategy };
