import { fieldTooLong, findingsOf, type FieldError } from '../errors.js';
import { byteLength, invalidText } from './invalid.js';
import { labelValue, qualifiedName } from './names.js';

const ANNOTATIONS_BYTES = 262_144;

/** Validates keys and values; errors have the path of the map, with the key or value. */
export function validateLabels(labels: Readonly<Record<string, string>> = {}, path: string): FieldError[] {
  return findingsOf(Object.entries(labels), ([key, value]) => [
    ...qualifiedName(key).map((text) => invalidText(path, key, text)),
    ...labelValue(value).map((text) => invalidText(path, value, text)),
  ]);
}

/** Validates keys in any letter case, and the limit of 256 KiB for all keys and values. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  path: string,
): FieldError[] {
  const entries = Object.entries(annotations);
  const errors = findingsOf(entries, ([key]) =>
    qualifiedName(key.toLowerCase()).map((text) => invalidText(path, key, text)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > ANNOTATIONS_BYTES) errors.push(fieldTooLong(path, ANNOTATIONS_BYTES));
  return errors;
}
