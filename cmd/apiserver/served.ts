import { mastersAuthorizer } from '../../pkg/authorization/masters.js';
import { identitiesOf } from '../../pkg/authentication/identities/identities.js';
import type { Identities } from '../../pkg/authentication/identities/interface.js';
import type { Authorizer } from '../../pkg/authorization/interface.js';
import { ownIdentityAuthorizer } from '../../pkg/authorization/ownidentity.js';
import { ownKeysAuthorizer } from '../../pkg/authorization/ownkeys.js';
import { rbacAuthorizer } from '../../pkg/authorization/rbac/authorizer.js';
import { rbacCaches } from '../../pkg/authorization/rbac/caches.js';
import { scopedAuthorizer } from '../../pkg/authorization/scope/authorizer.js';
import { openVisibility } from '../../pkg/authorization/visibility/open.js';
import type { Visibility } from '../../pkg/authorization/visibility/visibility.js';
import { unionAuthorizer } from '../../pkg/authorization/union.js';
import type { ResourceCache } from '../../pkg/cache/interface.js';
import { KINDS } from '../../pkg/registry/kinds.js';
import type { Registry } from '../../pkg/registry/registry.js';
import type { RegistryOptions } from '../../pkg/registry/registry.js';
import { openRegistry } from '../../pkg/registry/registry.js';
import type { Settings } from '../../pkg/registry/settings.js';
import type { PluginChoice } from '../../pkg/server/pluginchoice.js';
import { admissionPlugins } from '../../pkg/server/plugins.js';
import type { Storage } from '../../pkg/storage/interface.js';

const KEYS = 'management.svc.example/ownedaccesskeys';

/** Every kind, and who may do what with it: by the roles that are kept among them. */
export interface Served {
  readonly registry: Registry;
  readonly authorizer: Authorizer;
  readonly identities: Identities;
  readonly visibility: Visibility;
}

/** Rejects as `openRegistry`. */
export async function openServed(
  storage: Storage,
  plugins: PluginChoice,
  options: RegistryOptions & { readonly settings: Settings },
): Promise<Served> {
  let authorizer = mastersAuthorizer();
  let identities: Identities = { user: () => undefined, team: () => undefined };
  let visibility: Visibility | undefined;
  const registry = await openRegistry(
    storage,
    KINDS,
    (stores, cache) => {
      const rbac = rbacAuthorizer(rbacCaches(cache));
      const namespaces = cache.resource('core/namespaces');
      authorizer = scopedAuthorizer(
        unionAuthorizer([authorizer, rbac, ownKeysAuthorizer(cache.resource(KEYS)), ownIdentityAuthorizer()]),
        { ...options.settings, namespaces: () => namesIn(namespaces) },
      );
      const users = cache.resource('management.svc.example/users');
      const teams = cache.resource('management.svc.example/teams');
      identities = identitiesOf({ users, teams });
      visibility = openVisibility(cache, rbac, authorizer);
      return admissionPlugins({ stores, authorizer, rbac, identities, settings: options.settings }, plugins);
    },
    options,
  );
  if (visibility === undefined) throw new Error('the registry was opened without its plugins');
  return { registry, authorizer, identities, visibility };
}

/** Of all objects of a cluster-scoped kind. */
export function* namesIn(cache: ResourceCache): Generator<string> {
  for (const { name } of cache.latest().entries('')) yield name;
}
