import type { ConfigMap } from '../../../../api/core/v1/configmap.js';
import { fieldForbidden, fieldTooLong, type FieldError } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';
import { sameJson } from '../../object/metadata.js';
import type { Strategy } from '../../strategy.js';
import { validateDataKeys } from '../../object/datakeys.js';

const MAX_DATA_BYTES = 1024 * 1024;
const IMMUTABLE = 'field is immutable when `immutable` is set';

/** ConfigMaps: keys that make file names, 1 MiB of data, and `immutable` (`k8s.io/kubernetes/pkg/apis/core/validation`). */
export const configMapStrategy: Strategy<ConfigMap> = {
  generation: false,
  columns: [
    {
      name: 'Data',
      type: 'string',
      format: '',
      description: 'Data contains the configuration data.',
      priority: 0,
      cell: (object) => keysOf(object).length,
    },
    ageColumn(humanAge),
  ],
  validate(object) {
    const { data = {}, binaryData = {} } = object;
    const errors = [
      ...validateDataKeys(data, 'data', binaryData),
      ...validateDataKeys(binaryData, 'binaryData'),
    ];
    if (sizeOf(data, binaryData) > MAX_DATA_BYTES) errors.push(fieldTooLong('[]', MAX_DATA_BYTES));
    return errors;
  },
  validateUpdate(next, previous) {
    const now = next;
    const before = previous;
    if (before.immutable !== true) return [];
    const errors: FieldError[] = [];
    if (now.immutable !== true) errors.push(fieldForbidden('immutable', IMMUTABLE));
    if (!sameJson(now.data ?? {}, before.data ?? {})) errors.push(fieldForbidden('data', IMMUTABLE));
    if (!sameJson(now.binaryData ?? {}, before.binaryData ?? {}))
      errors.push(fieldForbidden('binaryData', IMMUTABLE));
    return errors;
  },
};

function keysOf(object: ConfigMap): string[] {
  const { data = {}, binaryData = {} } = object;
  return [...Object.keys(data), ...Object.keys(binaryData)];
}

/** Decoded bytes of all values. */
function sizeOf(data: Record<string, string>, binaryData: Record<string, string>): number {
  let size = 0;
  for (const value of Object.values(data)) size += Buffer.byteLength(value);
  for (const value of Object.values(binaryData)) size += Buffer.byteLength(value, 'base64');
  return size;
}
