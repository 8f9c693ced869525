import { mastersAuthorizer } from '../../pkg/authorization/masters.js';
import { identitiesOf } from '../../pkg/authentication/identities/identities.js';
import type { Identities } from '../../pkg/authentication/identities/interface.js';
import type { Authorizer } from '../../pkg/authorization/interface.js';
import { ownKeysAuthorizer } from '../../pkg/authorization/ownkeys.js';
import { rbacAuthorizer } from '../../pkg/authorization/rbac/authorizer.js';
import { rbacCaches } from '../../pkg/authorization/rbac/caches.js';
import { scopedAuthorizer } from '../../pkg/authorization/scope/authorizer.js';
import { unionAuthorizer } from '../../pkg/authorization/union.js';
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
}

/** Rejects as `openRegistry`. */
export async function openServed(
  storage: Storage,
  plugins: PluginChoice,
  options: RegistryOptions & { readonly settings: Settings },
): Promise<Served> {
  let authorizer = mastersAuthorizer();
  let identities: Identities = { user: () => undefined, team: () => undefined };
  const registry = await openRegistry(
    storage,
    KINDS,
    (stores, cache) => {
      const rbac = rbacAuthorizer(rbacCaches(cache));
      authorizer = scopedAuthorizer(
        unionAuthorizer([authorizer, rbac, ownKeysAuthorizer(cache.resource(KEYS))]),
        options.settings,
      );
      identities = identitiesOf({
        users: cache.resource('management.svc.example/users'),
        teams: cache.resource('management.svc.example/teams'),
      });
      return admissionPlugins({ stores, authorizer, rbac, identities, settings: options.settings }, plugins);
    },
    options,
  );
  return { registry, authorizer, identities };
}
