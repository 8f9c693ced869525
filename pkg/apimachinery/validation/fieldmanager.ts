import { fieldTooLong, type FieldError } from '../errors.js';
import { isPrintable } from '../quote.js';
import { byteLength, invalidText } from './invalid.js';

const MANAGER_LENGTH = 128;
const PLAIN = /^[ -~]*$/;

/** Validates the name of a field manager: at most 128 bytes, printable; positions are bytes. It may be empty. */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (byteLength(manager) > MANAGER_LENGTH) errors.push(fieldTooLong(path, MANAGER_LENGTH));
  if (PLAIN.test(manager)) return errors;
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalidText(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}
