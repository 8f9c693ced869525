import { mastersAuthorizer } from '../../pkg/authorization/masters.js';
import type { Authorizer } from '../../pkg/authorization/interface.js';
import { rbacAuthorizer } from '../../pkg/authorization/rbac/authorizer.js';
import { rbacCaches } from '../../pkg/authorization/rbac/caches.js';
import { unionAuthorizer } from '../../pkg/authorization/union.js';
import type { CacheOptions } from '../../pkg/cache/interface.js';
import { KINDS } from '../../pkg/registry/kinds.js';
import type { Registry } from '../../pkg/registry/registry.js';
import { openRegistry } from '../../pkg/registry/registry.js';
import type { PluginChoice } from '../../pkg/server/pluginchoice.js';
import { admissionPlugins } from '../../pkg/server/plugins.js';
import type { Storage } from '../../pkg/storage/interface.js';

/** Every kind, and who may do what with it: by the roles that are kept among them. */
export interface Served {
  readonly registry: Registry;
  readonly authorizer: Authorizer;
}

/** Rejects as `openRegistry`. */
export async function openServed(
  storage: Storage,
  plugins: PluginChoice,
  options: CacheOptions,
): Promise<Served> {
  let authorizer = mastersAuthorizer();
  const registry = await openRegistry(
    storage,
    KINDS,
    (stores, cache) => {
      const rbac = rbacAuthorizer(rbacCaches(cache));
      authorizer = unionAuthorizer([authorizer, rbac]);
      return admissionPlugins({ stores, authorizer, rbac }, plugins);
    },
    options,
  );
  return { registry, authorizer };
}
