/** Who asks: tokens for connected clusters, judged as the server judges them, from what is known of it. */
import type { JWK } from 'jose';
import { SCOPE_EXTRA, directTokenAuthenticator } from '../authentication/directtoken/authenticator.js';
import { clusterAudience, scopedAudience } from '../authentication/directtoken/token.js';
import type { Identities } from '../authentication/identities/interface.js';
import type { Authentication, Authenticator, KeyFingerprint } from '../authentication/interface.js';
import { REFUSED } from '../authentication/interface.js';

export interface AgentAuthenticatorParts {
  /** By `kid`; another object where they have changed. */
  readonly keys: () => ReadonlyMap<string, JWK>;
  readonly identities: Identities;
  readonly madeWithEnd: (key: KeyFingerprint) => number;
  /** Of all connected clusters. */
  readonly audience: string;
  /** The name of the Cluster that the agent is in; tokens for others are nobody's here. */
  readonly cluster: string;
}

/** Takes an `Authorization` header. Never throws. A token that was verified is so for as long as the keys are the same. */
export function agentAuthenticator(
  parts: AgentAuthenticatorParts,
): (authorization: string | undefined) => Authentication | Promise<Authentication> {
  const own = clusterAudience(parts.audience, parts.cluster);
  const audiences = [own, scopedAudience(own)];
  let keys: ReadonlyMap<string, JWK> | undefined;
  let inner: Authenticator | undefined;
  return (authorization) => {
    if (inner === undefined || keys !== parts.keys()) {
      keys = parts.keys();
      inner = withKeys(parts, keys);
    }
    const answer = inner.authenticate({ authorization, audiences, certificate: undefined, rawHeaders: [] });
    return answer instanceof Promise ? answer.then(forThisCluster) : forThisCluster(answer);
  };

  /** One with a scope is for those who look at it, and one without is not. */
  function forThisCluster(answer: Authentication): Authentication {
    if (answer.outcome !== 'user') return answer;
    const may = SCOPE_EXTRA in answer.user.extra ? scopedAudience(own) : own;
    return answer.audiences?.length === 1 && answer.audiences[0] === may ? answer : REFUSED;
  }
}

function withKeys(
  { identities, audience, madeWithEnd }: AgentAuthenticatorParts,
  keys: ReadonlyMap<string, JWK>,
): Authenticator {
  const published = {
    signing: () => Promise.reject(new Error('the agent signs nothing')),
    find: (kid: string) => keys.get(kid),
    published: () => [...keys.values()],
  };
  return directTokenAuthenticator({ keys: published, identities, audience, madeWithEnd });
}
