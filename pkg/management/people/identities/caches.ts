import { DirectClusterEndpointToken } from '../../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { Cache, ResourceCache } from '../../../cache/interface.js';
import { cacheOf } from '../../../registry/keys.js';

/** The caches of users, teams, and their keys and tokens. */
export interface IdentityCaches {
  readonly users: ResourceCache<User>;
  readonly teams: ResourceCache<Team>;
  readonly keys: ResourceCache<OwnedAccessKey>;
  /** Records of tokens for connected clusters. */
  readonly tokens: ResourceCache<DirectClusterEndpointToken>;
}

/** Throws RangeError when the kinds are not served. */
export function identityCaches(cache: Cache): IdentityCaches {
  return {
    users: cacheOf(cache, User),
    teams: cacheOf(cache, Team),
    keys: cacheOf(cache, OwnedAccessKey),
    tokens: cacheOf(cache, DirectClusterEndpointToken),
  };
}
