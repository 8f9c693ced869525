/** Keys of `data` maps (`k8s.io/apimachinery/pkg/util/validation.IsConfigMapKey`). */
const PATTERN = /^[-._a-zA-Z0-9]+$/;
const MAX_LENGTH = 253;

/** Texts of what is wrong with a key. */
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
