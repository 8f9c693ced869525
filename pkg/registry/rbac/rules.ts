/** Rules of roles (`k8s.io/kubernetes/pkg/apis/rbac/validation.ValidatePolicyRule`). */
import type { Static } from 'typebox';
import type { policyRuleSchema } from '../../../api/rbac.authorization.k8s.io/v1/policyrule.js';
import type { KubeObject } from '../../../api/resource.js';
import {
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  findingsOf,
  type FieldError,
} from '../../apimachinery/errors.js';

export type PolicyRule = Static<typeof policyRuleSchema>;

/** The limit of rules: each authorization of a subject evaluates them. kube-apiserver has no such limits. */
const MAX_RULES = 1_000;
/** The limit of verbs, groups, resources, names and paths of all rules together. */
const MAX_ENTRIES = 10_000;
const MAX_PATHS = 1_000;

/** The rules of a Role or ClusterRole; null stands for an empty list. */
export const rulesOf = ({ rules }: WithRules): readonly PolicyRule[] => rules ?? [];

interface WithRules extends KubeObject {
  rules?: PolicyRule[] | null;
}

/** An empty list is stored as null. The client that sent it still manages the field. */
export function dropEmptyRules(role: KubeObject): void {
  if (rulesOf(role).length === 0) role.rules = null;
}

/** `namespaced`: rules of a Role, which cannot have paths. */
export function validateRules(role: KubeObject, namespaced: boolean): FieldError[] {
  const tooMany = tooManyEntries(rulesOf(role));
  if (tooMany !== undefined) return [tooMany];
  return findingsOf(rulesOf(role).entries(), ([index, rule]) =>
    validateRule(rule, namespaced, `rules[${index}]`),
  );
}

/** Kubernetes validates what is required after all else (`validation-gen`). */
export const missingVerbs = (role: KubeObject): FieldError[] =>
  findingsOf(rulesOf(role).entries(), ([index, { verbs = [] }]: [number, Partial<PolicyRule>]) =>
    verbs.length === 0 ? [fieldRequired(`rules[${index}].verbs`)] : [],
  );

function tooManyEntries(rules: readonly Partial<PolicyRule>[]): FieldError | undefined {
  if (rules.length > MAX_RULES) return fieldTooMany('rules', rules.length, MAX_RULES);
  let entries = 0;
  let paths = 0;
  for (const {
    verbs = [],
    apiGroups = [],
    resources = [],
    resourceNames = [],
    nonResourceURLs = [],
  } of rules) {
    entries += verbs.length + apiGroups.length + resources.length + resourceNames.length;
    paths += nonResourceURLs.length;
  }
  if (paths > MAX_PATHS) return fieldTooMany('rules[*].nonResourceURLs', paths, MAX_PATHS);
  return entries > MAX_ENTRIES ? fieldTooMany('rules[*]', entries, MAX_ENTRIES) : undefined;
}

function validateRule(rule: Partial<PolicyRule>, namespaced: boolean, path: string): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  if (nonResourceURLs.length > 0) {
    const refuse = (why: string): void => {
      errors.push(fieldInvalid(`${path}.nonResourceURLs`, nonResourceURLs, why));
    };
    if (namespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(fieldRequired(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(fieldRequired(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}
