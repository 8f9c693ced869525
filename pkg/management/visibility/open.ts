import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../api/management.svc.example/v1/project.js';
import { cacheOf, resourceName } from '../../registry/keys.js';
import { identityCaches } from '../people/identities/caches.js';
import type { User } from '../../authentication/interface.js';
import type { Cache } from '../../cache/interface.js';
import type { RoleRef } from '../../registry/rbac/bindings.js';
import type { ObjectRightsAuthorizer } from '../sharing/objectrights/authorizer.js';
import { objectRightsHistory } from './objectrightshistory.js';
import type { RbacAuthorizer } from '../../authorization/rbac/authorizer.js';
import { isIgnoredRole } from '../sharing/managednames.js';
import { rbacCaches } from '../../authorization/rbac/caches.js';
import type { RightsChange } from '../../authorization/rbac/policy.js';
import { withProjectKeys } from './projectkeyhistory.js';
import { rightsChanges } from './rightschanges.js';
import { rightsHistory } from './rightshistory.js';
import type { RevisionMap } from './revisionmap.js';
import type { RoleFreshness } from './rolefreshness.js';
import type { VisibilityAuthorizer } from './filter.js';
import { createVisibility, type RightsVisibility } from './visibility.js';

/**
 * Visibility if users, teams and access keys are in our store, and roles too unless `host` is given. `authorizer`: the whole
 * authorizer.
 */
export function openVisibility(
  cache: Cache,
  rbac: RbacAuthorizer,
  objects: ObjectRightsAuthorizer,
  authorizer: VisibilityAuthorizer,
  host?: { readonly revisionMap: RevisionMap; readonly roles: RoleFreshness },
): RightsVisibility {
  const identities = identityCaches(cache);
  const onRights = (listener: (change: RightsChange) => void): void => {
    rbac.onChange(listener);
    objects.onChange((change) => {
      listener(change);
      // The rights on keys of a project are those on the project.
      if (change.resource === resourceName(Project))
        listener({ ...change, resource: resourceName(OwnedAccessKey) });
    });
  };
  const feed = rightsChanges(onRights, identities);
  const bound = (user: User, namespace: string): RoleRef[] =>
    [...rbac.bound(user, namespace)].map(({ roleRef }) => roleRef);
  const histories = {
    roles: rightsHistory(rbacCaches(cache, isIgnoredRole), identities, bound, host?.revisionMap),
    objects: withProjectKeys(objectRightsHistory(objects.index), objects.index, cacheOf(cache, Project)),
  };
  return createVisibility(authorizer, feed, histories, host?.roles);
}
