import type { Cache } from '../../cache/interface.js';
import type { RbacAuthorizer } from '../rbac/authorizer.js';
import { rbacCaches } from '../rbac/caches.js';
import { rightsFeed } from './feed.js';
import { rightsHistory } from './history.js';
import type { Eyes } from './sight.js';
import type { Visibility } from './visibility.js';
import { createVisibility } from './visibility.js';

/** Visibility where roles, users, teams and access keys are this server's own. `eyes`: the authorizer as a whole. */
export function openVisibility(cache: Cache, rbac: RbacAuthorizer, eyes: Eyes): Visibility {
  const identities = {
    users: cache.resource('management.svc.example/users'),
    teams: cache.resource('management.svc.example/teams'),
    keys: cache.resource('management.svc.example/ownedaccesskeys'),
  };
  const feed = rightsFeed(rbac.onChange, identities);
  const history = rightsHistory(rbacCaches(cache), identities, (user, namespace) =>
    [...rbac.bound(user, namespace)].map(({ roleRef }) => roleRef),
  );
  return createVisibility(eyes, feed, history);
}
