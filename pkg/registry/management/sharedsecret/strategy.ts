import type { KubeObject } from '../../../../api/resource.js';
import type { FieldError } from '../../../apimachinery/errors.js';
import { fieldInvalid, fieldTooLong, fieldTooMany, findingsOf } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../columns.js';
import { validateDataKey } from '../../datakeys.js';
import type { Strategy, TableColumn } from '../../strategy.js';
import { MAX_ACCESS_RULES } from '../accesslimit.js';

/** All values of one secret, decoded, in bytes. */
const MAX_DATA_BYTES = 1024 * 1024;
/** RFC 4648 section 4: padded, no line breaks. With a length that four divides, nothing else passes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

interface SharedSecretSpec {
  displayName?: string;
  description?: string;
  owner?: { user?: string; team?: string };
  data?: Record<string, string>;
  access?: unknown[];
}

const specOf = (object: KubeObject): SharedSecretSpec => (object.spec ?? {}) as SharedSecretSpec;

function isOwned(object: KubeObject): boolean {
  const { user = '', team = '' } = specOf(object).owner ?? {};
  return user !== '' || team !== '';
}

/** Shared secrets belong to their creator; values are base64 and never shown in a table or an error. */
export const sharedSecretStrategy: Strategy = {
  generation: true,
  columns: [
    textColumn('Display Name', 'The name shown in the UI.', 0, ({ displayName }) => displayName ?? ''),
    {
      name: 'Keys',
      type: 'integer',
      format: '',
      description: 'How many entries the secret has.',
      priority: 0,
      cell: (object) => Object.keys(specOf(object).data ?? {}).length,
    },
    textColumn(
      'Owner',
      'The user or team that owns the secret.',
      0,
      ({ owner }) => owner?.user ?? owner?.team ?? '',
    ),
    ageColumn(humanAge),
    textColumn('Description', 'What the secret is for.', 1, ({ description }) => description ?? ''),
  ],
  prepareForCreate(object, { requester }) {
    object.status = {};
    if (isOwned(object)) return;
    object.spec = { ...specOf(object), owner: { user: requester.name } };
  },
  /** A secret never loses its owner: one who leaves the owner out keeps it. */
  prepareForUpdate(next, previous) {
    const { owner } = specOf(previous);
    if (isOwned(next) || owner === undefined) return;
    next.spec = { ...specOf(next), owner: structuredClone(owner) };
  },
  validate(object) {
    const { data = {}, access = [] } = specOf(object);
    const errors = findingsOf(Object.entries(data), ([key, value]) => validateEntry(key, value));
    const size = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);
    if (size > MAX_DATA_BYTES) errors.push(fieldTooLong('spec.data', MAX_DATA_BYTES));
    if (access.length > MAX_ACCESS_RULES)
      errors.push(fieldTooMany('spec.access', access.length, MAX_ACCESS_RULES));
    return errors;
  },
};

/** The value is not repeated: it may be a secret that was not encoded. */
function validateEntry(key: string, value: string): FieldError[] {
  const path = `spec.data[${key}]`;
  const errors = validateDataKey(key).map((text) => fieldInvalid(path, key, text));
  if (value.length % 4 !== 0 || !BASE64.test(value)) {
    errors.push(fieldInvalid(path, '<hidden>', 'must be base64 (RFC 4648 section 4)'));
  }
  return errors;
}

function textColumn(
  name: string,
  description: string,
  priority: number,
  text: (spec: SharedSecretSpec) => string,
): TableColumn {
  return { name, type: 'string', format: '', description, priority, cell: (object) => text(specOf(object)) };
}
