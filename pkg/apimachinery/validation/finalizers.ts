import { fieldForbidden, fieldInvalid, findingsOf, type FieldError } from '../errors.js';
import { quoteGo } from '../quote.js';
import { invalidText } from './invalid.js';
import { qualifiedName } from './names.js';

const FINALIZER_ORPHAN = 'orphan';
const FINALIZER_FOREGROUND = 'foregroundDeletion';
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([
  'kubernetes',
  FINALIZER_ORPHAN,
  FINALIZER_FOREGROUND,
]);

const isUnqualified = (name: string): boolean => !name.includes('/') && !STANDARD_FINALIZERS.has(name);

/** Requires qualified names, and at most one of the garbage collector's finalizers. */
export function validateFinalizers(finalizers: readonly string[] = [], path: string): FieldError[] {
  const errors = findingsOf(finalizers, (name) =>
    qualifiedName(name).map((text) => invalidText(path, name, text)),
  );
  if (finalizers.includes(FINALIZER_ORPHAN) && finalizers.includes(FINALIZER_FOREGROUND)) {
    const detail = `finalizer ${FINALIZER_ORPHAN} and ${FINALIZER_FOREGROUND} cannot be both set`;
    errors.push(fieldInvalid(path, finalizers, detail));
  }
  return errors;
}

/** Kubernetes' own kinds refuse finalizers that are neither standard nor domain-qualified. */
export function validateBuiltInFinalizers(finalizers: readonly string[] = [], path: string): FieldError[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return findingsOf(finalizers.entries(), ([index, name]) =>
    isUnqualified(name) ? [invalidText(`${path}[${index}]`, name, detail)] : [],
  );
}

/** Refuses new finalizers of an object that is being deleted. */
export function validateNoNewFinalizers(
  next: readonly string[] = [],
  previous: readonly string[] = [],
  path: string,
): FieldError[] {
  const added = addedFinalizers(next, previous);
  if (added.length === 0) return [];
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(quoteGo).join(', ')}}`;
  return [fieldForbidden(path, detail)];
}

function addedFinalizers(next: readonly string[], previous: readonly string[]): string[] {
  const known = new Set(previous);
  return [...new Set(next)].filter((name) => !known.has(name)).sort();
}
