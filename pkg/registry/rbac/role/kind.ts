import { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import type { StoredKind } from '../../registry.js';
import { roleStrategy } from './strategy.js';

export const kind: StoredKind<typeof Role> = { definition: Role, strategy: roleStrategy };
