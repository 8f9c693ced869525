/** The removal times of the records of tokens for connected clusters, and of their revocations. */
import { DirectClusterEndpointToken } from '../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { DirectClusterEndpointTokenRevocation } from '../../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { isKind, type KubeObject } from '../../../api/resource.js';
import type { Expiry } from '../../controllers/reaper/expiry.js';

/** The maximum clock difference of servers and agents, by which a revocation outlives its token. */
const SKEW_MS = 60_000;

/** The records of tokens, and their revocations. */
export const TOKEN_EXPIRIES: readonly Expiry[] = [
  DirectClusterEndpointToken,
  DirectClusterEndpointTokenRevocation,
].map((kind) => ({ kind, moves: false, endOf: (_metadata, object) => tokenEnd(object()) }));

/** In ms since 1970; undefined for a record without one. */
function tokenEnd(object: KubeObject): number | undefined {
  const revoked = isKind(DirectClusterEndpointTokenRevocation, object);
  const { expirationTimestamp = '' } = revoked
    ? (object.spec ?? {})
    : isKind(DirectClusterEndpointToken, object)
      ? (object.status ?? {})
      : {};
  const end = Date.parse(expirationTimestamp) + (revoked ? SKEW_MS : 0);
  return Number.isNaN(end) ? undefined : end;
}
