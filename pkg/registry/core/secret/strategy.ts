import type { Secret } from '../../../../api/core/v1/secret.js';
import { fieldForbidden, fieldInvalid, fieldTooLong, type FieldError } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';
import { validateDataKeys } from '../../object/datakeys.js';
import { sameJson } from '../../object/metadata.js';
import type { Strategy } from '../../strategy.js';
import { validateSecretType } from './types.js';
import { encodeBase64 } from '../../../apimachinery/schema/base64.js';

/** The maximum size of all decoded values of a secret, in bytes. */
const MAX_DATA_BYTES = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

/**
 * Secrets: `stringData` is merged into `data`; the type determines required keys and is immutable
 * (`k8s.io/kubernetes/pkg/apis/core/validation.ValidateSecret`). Values appear in no table and no error.
 */
export const secretStrategy: Strategy<Secret> = {
  generation: false,
  columns: [
    {
      name: 'Type',
      type: 'string',
      format: '',
      description: 'Used to facilitate programmatic handling of secret data.',
      priority: 0,
      cell: (object) => object.type ?? '',
    },
    {
      name: 'Data',
      type: 'string',
      format: '',
      description: 'Data contains the secret data: how many entries there are.',
      priority: 0,
      cell: (object) => Object.keys(object.data ?? {}).length,
    },
    ageColumn(humanAge),
  ],
  applyDefaults(object) {
    const secret = object;
    secret.type ??= 'Opaque';
    if (secret.stringData === undefined) return;
    secret.data = { ...secret.data, ...encoded(secret.stringData) };
    delete secret.stringData;
  },
  validate(object) {
    const { data = {}, type = '' } = object;
    const errors = validateDataKeys(data, 'data');
    const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
    if (size > MAX_DATA_BYTES) errors.push(fieldTooLong('data', MAX_DATA_BYTES));
    errors.push(...validateSecretType(type, data, object.metadata.annotations ?? {}));
    return errors;
  },
  validateUpdate(next, previous) {
    const now = next;
    const before = previous;
    const errors: FieldError[] = [];
    if (now.type !== before.type) errors.push(fieldInvalid('type', now.type ?? '', 'field is immutable'));
    if (before.immutable !== true) return errors;
    if (now.immutable !== true) errors.push(fieldForbidden('immutable', IMMUTABLE));
    if (!sameJson(now.data ?? {}, before.data ?? {})) errors.push(fieldForbidden('data', IMMUTABLE));
    return errors;
  },
};

function encoded(texts: Record<string, string>): Record<string, string> {
  const entries = Object.entries(texts);
  return Object.fromEntries(entries.map(([key, text]) => [key, encodeBase64(text)]));
}
