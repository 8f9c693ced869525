import { ClusterRole } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import type { Registration } from '../../registry.js';
import { clusterRoleStrategy } from './strategy.js';

export const kind: Registration = { definition: ClusterRole, strategy: clusterRoleStrategy };
