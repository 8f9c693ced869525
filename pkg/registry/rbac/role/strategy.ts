import type { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import { createdAtColumn } from '../../object/columns.js';
import type { Strategy } from '../../strategy.js';
import { dropEmptyRules, validateRules } from '../rules.js';

/** Roles: rules for the resources of one namespace. */
export const roleStrategy: Strategy<Role> = {
  generation: false,
  decidesAccess: true,
  columns: [createdAtColumn],
  prepareForCreate: dropEmptyRules,
  prepareForUpdate: dropEmptyRules,
  validate: (object) => validateRules(object, true),
};
