/** `spec.data` of secrets: base64 values, which never appear in tables and errors. */
import type { KubeObject } from '../../../api/resource.js';
import { fieldInvalid, fieldTooLong, findingsOf, type FieldError } from '../../apimachinery/errors.js';
import { validateDataKey } from '../../registry/object/datakeys.js';
import type { TableColumn } from '../../registry/strategy.js';

export type SecretData = Readonly<Record<string, string>>;

/** The maximum size of all decoded values of a secret, in bytes. */
const MAX_DATA_BYTES = 1024 * 1024;
/** RFC 4648 section 4: padded, no line breaks; the caller checks that the length is a multiple of four. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface WithData extends KubeObject {
  readonly spec?: { readonly data?: SecretData };
}

export function secretData({ spec }: WithData): SecretData {
  return spec?.data ?? {};
}

/** The size of all decoded values. */
export function dataBytes(data: SecretData): number {
  return Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
}

export function validateSecretData(data: SecretData): FieldError[] {
  const errors = findingsOf(Object.entries(data), ([key, value]) => validateEntry(key, value));
  if (dataBytes(data) > MAX_DATA_BYTES) errors.push(fieldTooLong('spec.data', MAX_DATA_BYTES));
  return errors;
}

const NONE: readonly FieldError[] = [];

/** The error does not contain the value, which may be a secret that was not encoded. */
function validateEntry(key: string, value: string): readonly FieldError[] {
  const faults = validateDataKey(key);
  const encoded = value.length % 4 === 0 && BASE64.test(value);
  if (encoded && faults.length === 0) return NONE;
  const path = `spec.data[${key}]`;
  const errors = faults.map((text) => fieldInvalid(path, key, text));
  if (!encoded) {
    const breaks = /[\r\n]/.test(value) ? ' without line breaks, as "base64 -w0" writes it' : '';
    errors.push(fieldInvalid(path, '<hidden>', `must be base64 (RFC 4648 section 4)${breaks}`));
  }
  return errors;
}

export const keysColumn: TableColumn = {
  name: 'Entries',
  type: 'integer',
  format: '',
  description: 'How many entries the secret has.',
  priority: 0,
  cell: (object) => Object.keys(secretData(object)).length,
};
