import { printValue, type FieldError } from '../errors.js';

/** `path: Invalid value: "value": detail`, with the value quoted as Go does, control characters included. */
export function invalidText(path: string, value: string, detail: string): FieldError {
  return { type: 'FieldValueInvalid', path, body: `Invalid value: ${printValue(value)}: ${detail}` };
}

/** The length for limits: bytes of UTF-8. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
