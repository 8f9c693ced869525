import { Role } from '../../../../api/rbac.authorization.k8s.io/v1/role.js';
import type { StoredKind } from '../../registry.js';
import { createdAtColumn } from '../../object/columns.js';
import { dropEmptyRules, missingVerbs, validateRules } from '../rules.js';

/** Roles: rules for the resources of one namespace. */
export const kind: StoredKind<typeof Role> = {
  definition: Role,
  strategy: {
    generation: false,
    decidesAccess: true,
    columns: [createdAtColumn],
    prepareForCreate: dropEmptyRules,
    prepareForUpdate: dropEmptyRules,
    validate: (object) => [...validateRules(object, true), ...missingVerbs(object)],
  },
};
