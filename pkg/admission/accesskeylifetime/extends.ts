/** Checks whether a write to an access key extends its access or lifetime. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { scopeWithin } from '../../authorization/scope/within.js';
import { API_KEY_TYPES } from '../../registry/management/ownedaccesskey/validation.js';

type Spec = NonNullable<OwnedAccessKey['spec']>;

const isApiKey = ({ type = 'User', disabled = false }: Spec): boolean =>
  API_KEY_TYPES.includes(type) && !disabled;

/** In seconds; `Infinity`: unlimited. */
const ttlOf = ({ ttl = 0 }: Spec): number => (ttl <= 0 ? Infinity : ttl);

/** Restrictions and descriptions are no extension. */
export function extendsKey(next: Spec, previous: Spec): boolean {
  const slides = next.ttlAfterLastActivity === true && previous.ttlAfterLastActivity !== true;
  return (
    ttlOf(next) > ttlOf(previous) ||
    (slides && ttlOf(next) < Infinity) ||
    (isApiKey(next) && !isApiKey(previous)) ||
    (['user', 'team', 'subject'] as const).some(
      (member) => (next[member] ?? '') !== (previous[member] ?? ''),
    ) ||
    (next.groups ?? []).some((group) => previous.groups?.includes(group) !== true) ||
    !scopeWithin(next.scope, previous.scope)
  );
}
