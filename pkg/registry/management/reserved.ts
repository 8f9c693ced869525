import type { FieldError } from '../../apimachinery/errors.js';
import { fieldForbidden, fieldRequired, findingsOf } from '../../apimachinery/errors.js';

/** Users and groups that begin so are Kubernetes' own; no object of this group gives them to anyone. */
const RESERVED = 'system:';

/** A user or a group that an object may name. */
export function validateSubject(path: string, name: string): FieldError[] {
  if (name === '') return [fieldRequired(path)];
  if (!name.startsWith(RESERVED)) return [];
  return [fieldForbidden(path, `names that begin with ${RESERVED} cannot be given to anyone`)];
}

/** {@link validateSubject} of each. `path`: of the list. */
export function validateSubjects(path: string, names: readonly string[]): FieldError[] {
  return findingsOf(names.entries(), ([at, name]) => validateSubject(`${path}[${at}]`, name));
}
