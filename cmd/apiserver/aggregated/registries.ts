import { User } from '../../../api/management.svc.example/v1/user.js';
import { behindHost } from '../../../pkg/management/settings.js';
import { isIgnoredRole } from '../../../pkg/management/sharing/managednames.js';
import { rbacCaches } from '../../../pkg/authorization/rbac/caches.js';
import { RevisionMap } from '../../../pkg/management/visibility/revisionmap.js';
import { bumpRevision } from '../../../pkg/management/visibility/revisionbump.js';
import { openVisibility } from '../../../pkg/management/visibility/open.js';
import { roleFreshness } from '../../../pkg/management/visibility/rolefreshness.js';
import type { RightsVisibility } from '../../../pkg/management/visibility/visibility.js';
import { syncedWithin, type HostCache } from '../../../pkg/registry/hosttransaction/caches.js';
import { cacheOf } from '../../../pkg/registry/keys.js';
import { openRegistry } from '../../../pkg/registry/registry.js';
import type { PluginChoice } from '../../../pkg/management/pluginchoice.js';
import { admissionPlugins } from '../../../pkg/management/plugins.js';
import type { HostStorages } from '../../../pkg/storage/host/storages.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { openAuthorizers, type Decides } from '../../../pkg/management/authorizers.js';
import { AGGREGATED_KINDS, HOST_KINDS } from '../../../pkg/management/kindsbymode.js';
import type { OpenServed, Served } from '../../../pkg/management/registries.js';

/** How long lists may use roles of the host that are not watched, in ms. */
const LAG_MS = 5_000;
/** How long decisions of the host stay cached as if its roles were watched. */
const ANSWERS_LAG_MS = 500;
const ROLES_PREFIX = 'registry/rbac.authorization.k8s.io/';

export interface HostParts {
  readonly storages: HostStorages;
  readonly authorizer: Decides;
  readonly plugins: PluginChoice;
}

/**
 * The kinds served in aggregated mode. The host's roles decide: access by reviews of the host, visibility in
 * lists by its cached roles. Rejects as `openRegistry`.
 */
export async function openAggregatedRegistries(
  { storages, authorizer: delegated, plugins }: HostParts,
  storage: Storage,
  options: Parameters<OpenServed>[1],
): Promise<Served> {
  const shutdownHooks: (() => void)[] = [];
  let beginToFollow = (): Promise<void> => Promise.resolve();
  let parts: Omit<Served, 'registry'> | undefined;
  let hostRoles: readonly HostCache[] = [];
  const host = behindHost(options.settings, storages);
  const { settings } = host;
  const registry = await openRegistry(
    storage,
    [...AGGREGATED_KINDS, ...HOST_KINDS],
    (stores, cache) => {
      const definitions = stores.map(({ definition }) => definition);
      const followed = (): boolean => syncedWithin(hostRoles, ANSWERS_LAG_MS);
      const deciders = openAuthorizers(cache, definitions, settings, delegated, followed);
      const { rbac, objects, authorizer, identities } = deciders;
      const users = cacheOf(cache, User);
      const revisionMap = new RevisionMap({ own: users, caches: rbacCaches(cache, isIgnoredRole) });
      const failed = (error: unknown): void =>
        options.report?.('that rights have changed is not written', error);
      const bump = bumpRevision({ revisionMap, own: users, storage, failed });
      const roles = roleFreshness(() => syncedWithin(hostRoles, LAG_MS));
      shutdownHooks.push(() => revisionMap.close(), bump.stop, roles.close);
      beginToFollow = async () => {
        revisionMap.begin();
        objects.begin();
        // Lists of another server before this have another revision than those from now on.
        await bump.now();
      };
      const visibility: RightsVisibility = openVisibility(cache, rbac, objects, authorizer, {
        revisionMap,
        roles,
      });
      parts = { authorizer, objects, identities, visibility };
      return admissionPlugins({ stores, cache, authorizer, rbac, identities, settings }, plugins);
    },
    { ...options, ...host },
  );
  hostRoles = registry.hostCaches.filter(({ prefix }) => prefix.startsWith(ROLES_PREFIX));
  if (parts === undefined) throw new Error('the registry was opened without its plugins');
  await beginToFollow();
  const close = (): Promise<void> => {
    for (const one of shutdownHooks) one();
    return registry.close();
  };
  return { registry: { ...registry, close }, ...parts };
}
