import { fieldNotSupported, type FieldError } from '../errors.js';

/** Requires `All` as the only value of `dryRun`; otherwise one error about all values. */
export function validateDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [fieldNotSupported('dryRun', values, ['All'])];
}
