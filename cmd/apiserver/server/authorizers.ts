import type { ResourceDefinition } from '../../../api/resource.js';
import { identityCaches } from '../../../pkg/authentication/identities/caches.js';
import { identitiesOf } from '../../../pkg/authentication/identities/identities.js';
import type { Identities } from '../../../pkg/authentication/identities/interface.js';
import type { Authorizer } from '../../../pkg/authorization/interface.js';
import {
  objectRightsAuthorizer,
  type ObjectRightsAuthorizer,
} from '../../../pkg/authorization/objectrights/authorizer.js';
import { selfIdentityAuthorizer } from '../../../pkg/authorization/selfidentity.js';
import { selfKeysAuthorizer } from '../../../pkg/authorization/selfkeys.js';
import { selfTokensAuthorizer } from '../../../pkg/authorization/selftokens.js';
import { rbacAuthorizer, type RbacAuthorizer } from '../../../pkg/authorization/rbac/authorizer.js';
import { rbacCaches } from '../../../pkg/authorization/rbac/caches.js';
import type { RbacCaches } from '../../../pkg/authorization/rbac/policy.js';
import { scopedAuthorizer } from '../../../pkg/authorization/scope/authorizer.js';
import type { Cache, ResourceCache } from '../../../pkg/cache/interface.js';
import type { Settings } from '../../../pkg/registry/settings.js';
import type { RequestServices } from '../../../pkg/registry/virtualresource.js';

/** The identities and authorizers from the caches, in both modes. */
export interface Deciders {
  readonly rbac: RbacAuthorizer;
  readonly objects: ObjectRightsAuthorizer;
  readonly authorizer: Authorizer & RequestServices['subjects'];
  readonly identities: Identities;
}

/**
 * Returns an authorizer that ignores the scope of the credential; `own`: the rights of users to their own
 * objects, whatever their roles.
 */
export type Decides = (
  rbac: RbacAuthorizer,
  caches: RbacCaches,
  own: readonly Authorizer[],
  followed?: RolesKnown,
) => Authorizer;

/** Whether changes of roles and bindings at another API server are received. */
export type RolesKnown = () => boolean;

/** `definitions`: of the stored kinds. Throws RangeError when the kinds are not served. */
export function openAuthorizers(
  cache: Cache,
  definitions: readonly ResourceDefinition[],
  settings: Settings,
  decides: Decides,
  followed?: RolesKnown,
): Deciders {
  const caches = rbacCaches(cache);
  const rbac = rbacAuthorizer(caches);
  const people = identityCaches(cache);
  const objects = objectRightsAuthorizer(cache, definitions);
  const own = [
    selfKeysAuthorizer(people.keys),
    selfTokensAuthorizer(people.tokens),
    selfIdentityAuthorizer(),
    objects,
  ];
  const namespaces = cache.resource('core/namespaces');
  const authorizer = scopedAuthorizer(decides(rbac, caches, own, followed), {
    ...settings,
    namespaces: () => namesIn(namespaces),
  });
  const subjects: RequestServices['subjects'] = {
    decidesAlone: followed === undefined,
    async *allowedSubjects(asked, readable) {
      for (const one of [...own, rbac]) yield* one.allowedSubjects(asked, readable);
    },
  };
  return { rbac, objects, authorizer: { ...authorizer, ...subjects }, identities: identitiesOf(people) };
}

/** The names of all objects of a cluster-scoped kind. */
function* namesIn(cache: ResourceCache): Generator<string> {
  for (const { name } of cache.latest().entries('')) yield name;
}
