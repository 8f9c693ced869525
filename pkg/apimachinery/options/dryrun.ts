import type { FieldError } from '../errors.js';
import { fieldNotSupported } from '../errors.js';

/** The only value of `dryRun` is `All`; one error about all values otherwise. */
export function validateDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [fieldNotSupported('dryRun', values, ['All'])];
}
