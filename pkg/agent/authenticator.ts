/** Who asks: tokens for connected clusters, judged as the server judges them, from what is known of it. */
import type { JWK } from 'jose';
import { directTokenAuthenticator } from '../authentication/directtoken/authenticator.js';
import { clusterTokens } from '../authentication/directtoken/forcluster.js';
import type { ClusterTokens } from '../authentication/directtoken/forcluster.js';
import type { Identities } from '../authentication/identities/interface.js';
import type { Authentication, Authenticator, KeyFingerprint } from '../authentication/interface.js';

export interface AgentAuthenticatorParts {
  /** By `kid`; another object where they have changed. */
  readonly keys: () => ReadonlyMap<string, JWK>;
  readonly identities: Identities;
  readonly madeWithEnd: (key: KeyFingerprint) => number;
  /** Whether the token with this `jti` was revoked. */
  readonly isRevoked: (id: string) => boolean;
  /** Of all connected clusters. */
  readonly audience: string;
  /** The name of the Cluster that the agent is in; tokens for others are nobody's here. */
  readonly cluster: string;
  /** Ms since 1970, by which tokens begin and end. */
  readonly now: () => number;
}

/** Takes an `Authorization` header. Never throws. A token that was verified is so for as long as the keys are the same. */
export function agentAuthenticator(
  parts: AgentAuthenticatorParts,
): (authorization: string | undefined) => Authentication | Promise<Authentication> {
  let keys: ReadonlyMap<string, JWK> | undefined;
  let judge: ClusterTokens | undefined;
  return (authorization) => {
    if (judge === undefined || keys !== parts.keys()) {
      keys = parts.keys();
      judge = clusterTokens(withKeys(parts, keys), parts.audience);
    }
    return judge(authorization, parts.cluster);
  };
}

function withKeys(
  { identities, audience, madeWithEnd, isRevoked, now }: AgentAuthenticatorParts,
  keys: ReadonlyMap<string, JWK>,
): Authenticator {
  const published = {
    signing: () => Promise.reject(new Error('the agent signs nothing')),
    find: (kid: string) => keys.get(kid),
    published: () => [...keys.values()],
  };
  return directTokenAuthenticator({ keys: published, identities, audience, madeWithEnd, isRevoked, now });
}
