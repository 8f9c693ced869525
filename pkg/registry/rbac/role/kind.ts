import { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import type { Registration } from '../../registry.js';
import { roleStrategy } from './strategy.js';

export const kind: Registration = { definition: Role, strategy: roleStrategy };
