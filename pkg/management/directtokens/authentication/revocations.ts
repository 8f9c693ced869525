import { DirectClusterEndpointTokenRevocation } from '../../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import type { Cache } from '../../../cache/interface.js';
import { cacheOf } from '../../../registry/keys.js';

/**
 * Whether the token with this `jti` was revoked, by the cache; true if its record cannot be read. RangeError if the
 * kind is not served.
 */
export function revokedTokens(cache: Pick<Cache, 'resource'>): (id: string) => boolean {
  const revocations = cacheOf(cache, DirectClusterEndpointTokenRevocation);
  return (id) => revocations.latest().get(id) !== undefined || revocations.undecryptable().has(id);
}
