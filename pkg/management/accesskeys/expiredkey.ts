import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { fieldForbidden, invalid } from '../../apimachinery/errors.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { removalOfKey } from './removaltime.js';

/**
 * Throws StatusError 422 for a new value of a key that has expired, and for one that is enabled: nobody could use it. A write that
 * extends the key, too, is accepted.
 */
export function refuseExpired(
  {
    definition,
    name,
    changesWriteOnlyFields = false,
  }: Pick<AdmissionAttributes, 'definition' | 'name' | 'changesWriteOnlyFields'>,
  key: OwnedAccessKey,
  before: OwnedAccessKey,
  now: number,
): void {
  const enables = before.spec?.disabled === true && key.spec?.disabled !== true;
  if (!enables && !changesWriteOnlyFields) return;
  const end = removalOfKey(key, 0);
  if (end === undefined || end > now) return;
  const field = changesWriteOnlyFields ? 'spec.key' : 'spec.disabled';
  throw invalid(definition, name, [fieldForbidden(field, 'the key has expired: create another')]);
}
