import { privilegedGroupAuthorizer } from '../authorization/privilegedgroup.js';
import { unionAuthorizer } from '../authorization/union.js';
import { openVisibility } from './visibility/open.js';
import type { RightsVisibility } from './visibility/visibility.js';
import { KINDS } from './kinds.js';
import { openRegistry, type Registry, type RegistryOptions } from '../registry/registry.js';
import type { Settings } from './settings.js';
import type { PluginChoice } from './pluginchoice.js';
import { admissionPlugins, type PluginParts } from './plugins.js';
import type { Storage } from '../storage/interface.js';
import { openAuthorizers, type Deciders, type Decides } from './authorizers.js';

/** Every kind, and the authorizers. */
export interface Served extends Omit<Deciders, 'rbac'> {
  readonly registry: Registry;
  readonly visibility: RightsVisibility;
}

/** Opens the kinds of a mode. */
export type OpenServed = (
  storage: Storage,
  options: RegistryOptions & {
    readonly settings: Settings;
    readonly accountTokens: PluginParts['accountTokens'];
  },
) => Promise<Served>;

const byOwnRoles: Decides = (rbac, _caches, own) =>
  unionAuthorizer([privilegedGroupAuthorizer(), rbac, ...own]);

/** Every kind, with the roles that are stored among them. Rejects as `openRegistry`. */
export async function openServed(
  storage: Storage,
  plugins: PluginChoice,
  options: Parameters<OpenServed>[1],
): Promise<Served> {
  const { settings, accountTokens } = options;
  let parts: Omit<Served, 'registry'> | undefined;
  const registry = await openRegistry(
    storage,
    KINDS,
    (stores, cache) => {
      const definitions = stores.map(({ definition }) => definition);
      const deciders = openAuthorizers(cache, definitions, settings, byOwnRoles);
      const { rbac, objects, authorizer, identities } = deciders;
      const visibility = openVisibility(cache, rbac, objects, authorizer);
      parts = { authorizer, objects, identities, visibility };
      const deciding = { authorizer, rbac, identities };
      return admissionPlugins({ stores, cache, ...deciding, settings, accountTokens }, plugins);
    },
    options,
  );
  if (parts === undefined) throw new Error('the registry was opened without its plugins');
  parts.objects.begin();
  return { registry, ...parts };
}
