import type { ResourceDefinition } from '../../api/resource.js';
import { identityCaches } from './people/identities/caches.js';
import { identitiesOf } from './people/identities/identities.js';
import type { Identities } from './people/identities/interface.js';
import { groupRuleAuthorizer } from './grouprules/authorizer.js';
import { Project } from '../../api/management.svc.example/v1/project.js';
import { cacheOf } from '../registry/keys.js';
import type { Authorizer } from '../authorization/interface.js';
import { objectRightsAuthorizer, type ObjectRightsAuthorizer } from './sharing/objectrights/authorizer.js';
import { selfIdentityAuthorizer } from './people/selfidentity.js';
import { selfKeysAuthorizer } from './accesskeys/selfkeys.js';
import {
  projectKeyIndex,
  projectKeysAuthorizer,
  viaProjectKeys,
} from './accesskeys/projectkeys/authorizer.js';
import { selfTokensAuthorizer } from './directtokens/selftokens.js';
import { rbacAuthorizer, type RbacAuthorizer } from '../authorization/rbac/authorizer.js';
import { isIgnoredRole } from './sharing/managednames.js';
import { rbacCaches, type RbacCaches } from '../authorization/rbac/caches.js';
import { scopedAuthorizer } from './accesskeys/scope/authorizer.js';
import type { Cache, ResourceCache } from '../cache/interface.js';
import type { ManagementServices } from './services.js';
import type { Settings } from './settings.js';
import { subjectsByRoles } from './whocan/byroles.js';

/** The identities and authorizers from the caches, in both modes. */
export interface Deciders {
  readonly rbac: RbacAuthorizer;
  readonly objects: ObjectRightsAuthorizer;
  readonly authorizer: Authorizer & ManagementServices['subjects'];
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
  const caches = rbacCaches(cache, isIgnoredRole);
  const rbac = rbacAuthorizer(caches);
  const people = identityCaches(cache);
  const objects = objectRightsAuthorizer(cache, definitions);
  const projectKeys = projectKeyIndex(people.keys);
  const own = [
    selfKeysAuthorizer(people.keys),
    projectKeysAuthorizer(projectKeys, objects),
    selfTokensAuthorizer(people.tokens),
    selfIdentityAuthorizer(),
    groupRuleAuthorizer({ rules: people.rules, projects: cacheOf(cache, Project) }),
    objects,
  ];
  const namespaces = cache.resource('core/namespaces');
  const authorizer = scopedAuthorizer(decides(rbac, caches, own, followed), {
    ...settings,
    namespaces: () => namesIn(namespaces),
  });
  const subjects: ManagementServices['subjects'] = {
    decidesAlone: followed === undefined,
    async *allowedSubjects(asked, readable, until) {
      for (const one of own) yield* one.allowedSubjects(asked, readable, until);
      yield* viaProjectKeys(subjectsByRoles(rbac, asked, readable, until), projectKeys);
    },
  };
  return { rbac, objects, authorizer: { ...authorizer, ...subjects }, identities: identitiesOf(people) };
}

/** The names of all objects of a cluster-scoped kind. */
function* namesIn(cache: ResourceCache): Generator<string> {
  for (const { name } of cache.latest().entries('')) yield name;
}
