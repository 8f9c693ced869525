import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Team } from '../../../api/management.svc.example/v1/team.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import type { Cache, ResourceCache } from '../../cache/interface.js';
import { resourceName } from '../../registry/keys.js';

/** The objects that say who people are, and which keys are theirs. */
export interface IdentityCaches {
  readonly users: ResourceCache;
  readonly teams: ResourceCache;
  readonly keys: ResourceCache;
}

/** Throws RangeError when the kinds are not served. */
export function identityCaches(cache: Cache): IdentityCaches {
  return {
    users: cache.resource(resourceName(User)),
    teams: cache.resource(resourceName(Team)),
    keys: cache.resource(resourceName(OwnedAccessKey)),
  };
}
