import { fieldInvalid, findingsOf, type FieldError } from '../../apimachinery/errors.js';

/** Keys of `data` maps (`k8s.io/apimachinery/pkg/util/validation.IsConfigMapKey`). */
const PATTERN = /^[-._a-zA-Z0-9]+$/;
const MAX_LENGTH = 253;

/** The errors of a key. */
export function validateDataKey(key: string): string[] {
  const texts: string[] = [];
  if (key.length > MAX_LENGTH) texts.push(`must be no more than ${MAX_LENGTH} bytes`);
  if (!PATTERN.test(key)) {
    texts.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === '.' || key === '..') texts.push(`must not be '${key}'`);
  else if (key.startsWith('..')) texts.push("must not start with '..'");
  return texts;
}

/** Validates the keys of `data` at `path`; keys that `other` also has are duplicates. */
export function validateDataKeys(data: object, path: string, other: object = {}): FieldError[] {
  return findingsOf(Object.keys(data), (key) => {
    const texts = validateDataKey(key);
    if (Object.hasOwn(other, key)) texts.push('duplicate of key present in binaryData');
    return texts.map((text) => fieldInvalid(`${path}[${key}]`, key, text));
  });
}
