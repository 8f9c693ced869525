import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import type { Identities } from '../../authentication/identities/interface.js';
import type { Cache, ResourceCache } from '../../cache/interface.js';
import { cacheOf } from '../../registry/keys.js';
import type { People } from './standing.js';
import type { FollowedCache } from './standingrightswatcher.js';

type Caches = Pick<Cache, 'resource'>;

const ACCOUNTS = 'core/serviceaccounts';

/** Users, teams and access keys from the caches. Throws RangeError if these kinds are not served. */
export function peopleOf(cache: Caches, identities: Identities): People {
  const keys = cacheOf(cache, OwnedAccessKey);
  const accounts = accountsIn(cache);
  return {
    identities,
    accessKey: (name) => keys.latest().get(name)?.object(),
    ...(accounts !== undefined && {
      account: (namespace, name) => accounts.latest().get(`${namespace}/${name}`)?.object(),
    }),
  };
}

/** Kinds besides User whose deletion may change the identity of a user. */
export function peopleCaches(cache: Caches): FollowedCache[] {
  const accounts = accountsIn(cache);
  return [
    { resource: Team.plural, cache: cacheOf(cache, Team) },
    { resource: OwnedAccessKey.plural, cache: cacheOf(cache, OwnedAccessKey) },
    ...(accounts === undefined ? [] : [{ resource: 'serviceaccounts', cache: accounts }]),
  ];
}

/** Undefined where another API server has them. */
function accountsIn(cache: Caches): ResourceCache | undefined {
  try {
    return cache.resource(ACCOUNTS);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
