import { fieldForbidden, fieldRequired, findingsOf, type FieldError } from '../../apimachinery/errors.js';

/** The prefix of Kubernetes' own users and groups; objects of this group cannot grant them. */
const RESERVED = 'system:';

/** Validates the name of a user or a group. */
export function validateSubject(path: string, name: string): FieldError[] {
  if (name === '') return [fieldRequired(path)];
  if (!name.startsWith(RESERVED)) return [];
  return [fieldForbidden(path, `names that begin with ${RESERVED} cannot be given to anyone`)];
}

/** Applies {@link validateSubject} to each. `path`: of the list. */
export function validateSubjects(path: string, names: readonly string[]): FieldError[] {
  return findingsOf(names.entries(), ([at, name]) => validateSubject(`${path}[${at}]`, name));
}
