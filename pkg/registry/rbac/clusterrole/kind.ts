import { ClusterRole } from '../../../../api/rbac.authorization.k8s.io/v1/clusterrole.js';
import type { StoredKind } from '../../registry.js';
import { fieldInvalid, fieldRequired, type FieldError } from '../../../apimachinery/errors.js';
import { validateLabelSelector } from '../../../apimachinery/validation/labelselector.js';
import { createdAtColumn } from '../../object/columns.js';
import { dropEmptyRules, missingVerbs, validateRules } from '../rules.js';

/** ClusterRoles: rules for all resources; a controller fills those with an `aggregationRule`. */
export const kind = {
  definition: ClusterRole,
  strategy: {
    generation: false,
    decidesAccess: true,
    columns: [createdAtColumn],
    prepareForCreate: dropEmptyRules,
    prepareForUpdate: dropEmptyRules,
    validate: (object) => [
      ...validateRules(object, false),
      ...validateAggregation(object),
      ...missingVerbs(object),
    ],
  },
} satisfies StoredKind<typeof ClusterRole>;

function validateAggregation({ aggregationRule }: ClusterRole): FieldError[] {
  if (aggregationRule === undefined) return [];
  const { clusterRoleSelectors: selectors = [] } = aggregationRule;
  const path = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    return [fieldRequired(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, index) => {
    const errors = validateLabelSelector(selector, `${path}[${index}]`);
    if (errors.length === 0) return [];
    return [...errors, fieldInvalid(`${path}[${index}]`, null, 'invalid label selector.')];
  });
}
