/**
 * Whether a token for connected clusters is valid for one of them: used by agents, and by the server before it
 * forwards a request.
 */
import { REFUSED, type Authentication, type Authenticator } from '../../../authentication/interface.js';
import { SCOPE_EXTRA } from './authenticator.js';
import { clusterAudience, scopedAudience } from './token.js';
import { onceKnown } from '../../../apimachinery/eventloop/onceknown.js';

export type ClusterTokens = (
  authorization: string | undefined,
  cluster: string,
) => Authentication | Promise<Authentication>;

/**
 * `inner`: authenticates tokens for connected clusters. The result takes an `Authorization` header and the name of a
 * Cluster, and never throws; without a name no token is valid.
 */
export function clusterTokens(inner: Authenticator): ClusterTokens {
  return (authorization, cluster) => {
    if (cluster === '') return REFUSED;
    const own = clusterAudience(cluster);
    const audiences = [own, scopedAudience(own)];
    const answer = inner.authenticate({ authorization, audiences, certificate: undefined, rawHeaders: [] });
    return onceKnown(answer, (one) => forThisCluster(one, own));
  };
}

/** A token with a scope needs the scoped audience, and one without needs the other. */
function forThisCluster(answer: Authentication, own: string): Authentication {
  if (answer.outcome !== 'user') return answer;
  const may = SCOPE_EXTRA in answer.user.extra ? scopedAudience(own) : own;
  return answer.audiences?.length === 1 && answer.audiences[0] === may ? answer : REFUSED;
}
