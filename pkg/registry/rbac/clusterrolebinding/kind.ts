import { ClusterRoleBinding } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrolebinding.js';
import type { Registration } from '../../registry.js';
import { clusterRoleBindingStrategy } from './strategy.js';

export const kind: Registration = { definition: ClusterRoleBinding, strategy: clusterRoleBindingStrategy };
