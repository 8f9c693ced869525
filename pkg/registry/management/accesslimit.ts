import type { FieldError } from '../../apimachinery/errors.js';
import { fieldTooMany } from '../../apimachinery/errors.js';

/** Rules of `spec.access`: all of what they come to must fit one commit. */
export const MAX_ACCESS_RULES = 12;

/** Users and teams that the rules of `spec.access` of one object name, and members of a project. */
export const MAX_ACCESS_NAMES = 2_000;

/** That a list of rules is no longer than {@link MAX_ACCESS_RULES}. */
export function validateRuleCount(path: string, rules: readonly unknown[] = []): FieldError[] {
  return rules.length > MAX_ACCESS_RULES ? [fieldTooMany(path, rules.length, MAX_ACCESS_RULES)] : [];
}
