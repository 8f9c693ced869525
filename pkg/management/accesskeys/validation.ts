import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  type FieldError,
} from '../../apimachinery/errors.js';
import { validateScope } from './scope/validation.js';
import { validateProjectKey } from './projectkeys/validation.js';
import { validateSubject, validateSubjects } from '../people/reservednames.js';

/** Types of keys that authenticate requests to the API. */
export const API_KEY_TYPES: readonly string[] = ['User', 'Login', 'Other'];
const KEY_TYPES = [...API_KEY_TYPES, 'Reset', 'OIDCRefreshToken', 'NetworkPeer'];
/** A hundred years. */
const MAX_TTL_SECONDS = 3_153_600_000;

export function validateAccessKey({ spec = {} }: OwnedAccessKey): FieldError[] {
  const { ttl = 0, type = 'User', groups = [] } = spec;
  const errors = validateSubjects('spec.groups', groups);
  const owners = (['user', 'team', 'subject', 'project'] as const).filter(
    (member) => (spec[member] ?? '') !== '',
  );
  for (const member of owners) errors.push(...validateSubject(`spec.${member}`, spec[member] ?? ''));
  for (const member of owners.slice(1))
    errors.push(fieldForbidden(`spec.${member}`, `may not be set together with spec.${owners[0]}`));
  if (ttl < 0 || ttl > MAX_TTL_SECONDS)
    errors.push(fieldInvalid('spec.ttl', ttl, `must be between 0 and ${MAX_TTL_SECONDS}, inclusive`));
  if (!KEY_TYPES.includes(type)) errors.push(fieldNotSupported('spec.type', type, KEY_TYPES));
  errors.push(...validateProjectKey(spec));
  if (spec.scope !== undefined) errors.push(...validateScope('spec.scope', spec.scope));
  return errors;
}
