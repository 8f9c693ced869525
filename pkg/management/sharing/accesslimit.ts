import { fieldTooMany, type FieldError } from '../../apimachinery/errors.js';

/** The maximum number of rules in `spec.access`: at another API server their roles and bindings are written together. */
export const MAX_ACCESS_RULES = 12;

/** The maximum number of users and teams in the access rules of one object, and of members of a project. */
export const MAX_ACCESS_NAMES = 2_000;

/** Validates that a list has at most {@link MAX_ACCESS_RULES} rules. */
export function validateRuleCount(path: string, rules: readonly unknown[] = []): FieldError[] {
  return rules.length > MAX_ACCESS_RULES ? [fieldTooMany(path, rules.length, MAX_ACCESS_RULES)] : [];
}
