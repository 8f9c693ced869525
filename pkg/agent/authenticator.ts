/** Authenticates tokens for connected clusters as the server does, by its published keys and objects. */
import type { JWK } from 'jose';
import { directTokenAuthenticator } from '../management/directtokens/authentication/authenticator.js';
import { clusterTokens, type ClusterTokens } from '../management/directtokens/authentication/forcluster.js';
import type { Identities } from '../management/people/identities/interface.js';
import type { Authentication, Authenticator, KeyFingerprint } from '../authentication/interface.js';

export interface AgentAuthenticatorParts {
  /** By `kid`; a new object after each change. */
  readonly keys: () => ReadonlyMap<string, JWK>;
  readonly identities: Identities;
  readonly madeWithEnd: (key: KeyFingerprint) => number;
  /** Whether the token with this `jti` was revoked. */
  readonly isRevoked: (id: string) => boolean;
  /** The name of the agent's Cluster; tokens for others are invalid here. */
  readonly cluster: string;
  /** Ms since 1970, by the clock that tokens are checked with. */
  readonly now: () => number;
}

/** Takes an `Authorization` header. Never throws. A verified token is cached while the keys are unchanged. */
export function agentAuthenticator(
  parts: AgentAuthenticatorParts,
): (authorization: string | undefined) => Authentication | Promise<Authentication> {
  let keys: ReadonlyMap<string, JWK> | undefined;
  let authenticate: ClusterTokens | undefined;
  return (authorization) => {
    if (authenticate === undefined || keys !== parts.keys()) {
      keys = parts.keys();
      authenticate = clusterTokens(withKeys(parts, keys));
    }
    return authenticate(authorization, parts.cluster);
  };
}

function withKeys(
  { identities, madeWithEnd, isRevoked, now }: AgentAuthenticatorParts,
  keys: ReadonlyMap<string, JWK>,
): Authenticator {
  const published = {
    signing: () => Promise.reject(new Error('the agent signs nothing')),
    find: (kid: string) => keys.get(kid),
    published: () => [...keys.values()],
  };
  return directTokenAuthenticator({ keys: published, identities, madeWithEnd, isRevoked, now });
}
