/** Tokens for connected clusters. They live for a minute, and are kept only in memory. */
import type { DirectClusterEndpointToken } from '../../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { createObject } from '../one.js';

/** The shortest lifetime that the server grants. */
const SECONDS = 60;
/** A token of this age is still valid long enough for a request that starts now. */
const USED_MS = 40_000;

export type ClusterTokens = (cluster: string) => Promise<string>;

/** Returns a function that returns the same token of a cluster as long as it can be used, and rejects with ApiError. */
export function clusterTokens(scopeIn: (cluster: string) => Scope): ClusterTokens {
  const known = new Map<string, { readonly since: number; readonly token: Promise<string> }>();
  return (cluster) => {
    const last = known.get(cluster);
    if (last !== undefined && performance.now() - last.since < USED_MS) return last.token;
    const token = createToken(cluster, scopeIn(cluster));
    known.set(cluster, { since: performance.now(), token });
    return token;
  };
}

async function createToken(cluster: string, scope: Scope): Promise<string> {
  const spec = { ttl: SECONDS, cluster, scope };
  const made = await createObject<DirectClusterEndpointToken>('directclusterendpointtokens', '', {
    kind: 'DirectClusterEndpointToken',
    metadata: {},
    spec,
  });
  return made.status?.token ?? '';
}
