import { DirectClusterEndpointToken } from '../../../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { GroupRule } from '../../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../../api/management.svc.example/v1/team.js';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import type { Cache, ResourceCache } from '../../../cache/interface.js';
import { cacheOf } from '../../../registry/keys.js';

/** The caches of users, teams, group rules, and keys and tokens. */
export interface IdentityCaches {
  readonly users: ResourceCache<User>;
  readonly teams: ResourceCache<Team>;
  readonly rules: ResourceCache<GroupRule>;
  readonly keys: ResourceCache<OwnedAccessKey>;
  /** Records of tokens for connected clusters. */
  readonly tokens: ResourceCache<DirectClusterEndpointToken>;
}

/** Throws RangeError when the kinds are not served. */
export function identityCaches(cache: Cache): IdentityCaches {
  return {
    users: cacheOf(cache, User),
    teams: cacheOf(cache, Team),
    rules: cacheOf(cache, GroupRule),
    keys: cacheOf(cache, OwnedAccessKey),
    tokens: cacheOf(cache, DirectClusterEndpointToken),
  };
}
