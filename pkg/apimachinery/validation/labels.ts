import type { FieldError } from '../errors.js';
import { fieldTooLong } from '../errors.js';
import { byteLength, invalidText } from './invalid.js';
import { labelValue, qualifiedName } from './names.js';

const ANNOTATIONS_BYTES = 262_144;

/** Keys and values; errors stand at the map itself with the key or value as what is bad. */
export function validateLabels(labels: Readonly<Record<string, string>> = {}, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const text of qualifiedName(key)) errors.push(invalidText(path, key, text));
    for (const text of labelValue(value)) errors.push(invalidText(path, value, text));
  }
  return errors;
}

/** Keys in any case, and 256 KiB over all keys and values together. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> = {},
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += byteLength(key) + byteLength(value);
    for (const text of qualifiedName(key.toLowerCase())) errors.push(invalidText(path, key, text));
  }
  if (bytes > ANNOTATIONS_BYTES) errors.push(fieldTooLong(path, ANNOTATIONS_BYTES));
  return errors;
}
