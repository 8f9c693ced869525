import type { ManagedFieldsEntry } from '../../../api/resource.js';
import { fieldTooLong, findingsOf, type FieldError } from '../errors.js';
import { validateFieldManager } from './fieldmanager.js';
import { byteLength, invalidText } from './invalid.js';

const SUBRESOURCE_LENGTH = 256;

/** Validates the envelope of each entry, but not `fieldsV1`. The errors are those of Kubernetes 1.36. */
export function validateManagedFields(
  entries: readonly ManagedFieldsEntry[] = [],
  path: string,
): FieldError[] {
  return findingsOf(entries.entries(), ([index, entry]) => validateEntry(entry, `${path}[${index}]`));
}

function validateEntry(entry: ManagedFieldsEntry, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const operation = entry.operation ?? '';
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalidText(`${path}.operation`, operation, 'must be `Apply` or `Update`'));
  }
  const fieldsType = entry.fieldsType ?? '';
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalidText(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
  }
  errors.push(...validateFieldManager(entry.manager ?? '', `${path}.manager`));
  if (byteLength(entry.subresource ?? '') > SUBRESOURCE_LENGTH) {
    errors.push(fieldTooLong(`${path}.subresource`, SUBRESOURCE_LENGTH));
  }
  return errors;
}
