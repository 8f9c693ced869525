/** Whether a user may send a request to a cluster, and where it goes: by the scope of the token, and the limits of a space. */
import { failure, methodNotAllowed, quote, unknownResource } from '../apimachinery/errors.js';
import type { User } from '../authentication/interface.js';
import type { ScopeSettings } from '../management/accesskeys/scope/interface.js';
import { identityHeaders } from './impersonation.js';
import type { Admitted, Place, Places, Upstream } from './interface.js';
import type { AgentPath } from './requestpath.js';
import { METHODS, infoOf, isInScope, isLasting, targetOf } from './scopedrequest.js';
import { isWithinSpace } from './spacelimits.js';

export interface Admission {
  readonly places: Places;
  /** The name of the Cluster. */
  readonly cluster: string;
  readonly scopeSettings: ScopeSettings;
  readonly userPrefix: string;
  /** The API server of the cluster. */
  readonly upstream: Upstream;
  /** The API server of a virtual cluster. */
  readonly virtualCluster: (place: Place) => Upstream;
}

/** Throws StatusError: 403, 404, 405. */
export function admit(
  { cluster, scopeSettings, places, userPrefix, upstream, virtualCluster }: Admission,
  user: User,
  method: string,
  { destination, prefix, path, query }: AgentPath,
): Admitted {
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const to = targetOf(destination, cluster);
  const info = infoOf(method, path, query);
  if (!isInScope(user, to, info, scopeSettings))
    throw failure('Forbidden', `User ${quote(user.name)} cannot do this: denied by token scope`, {});
  const place = destination.kind === 'cluster' ? undefined : places.find(destination);
  if (destination.kind !== 'cluster' && place === undefined) throw unknownResource();
  if (destination.kind === 'space' && !isWithinSpace(info, place?.namespace ?? ''))
    throw failure(
      'Forbidden',
      `the space ${quote(destination.name)} reaches the namespace ${quote(place?.namespace ?? '')} alone`,
      {},
    );
  const identity = identityHeaders(user, userPrefix);
  const inside = destination.kind === 'virtualcluster' && place !== undefined;
  const still = (): boolean => destination.kind === 'cluster' || isSame(places.find(destination), place);
  return {
    to,
    upstream: inside ? virtualCluster(place) : upstream,
    path,
    query,
    prefix,
    lasting: isLasting(info),
    still,
    identity,
  };
}

const isSame = (now: Place | undefined, before: Place | undefined): boolean =>
  now?.namespace === before?.namespace && now?.virtualCluster === before?.virtualCluster;
