/** The registry as a client for controllers. */
import type { KubeObject } from '../../../api/resource.js';
import { notFound } from '../../apimachinery/errors.js';
import { CacheUnavailable } from '../../cache/interface.js';
import type { Client, ResourceClient } from '../interface.js';
import { createObject } from '../../registry/generic/create.js';
import { REACH_TIMEOUT, liveEntry } from '../../registry/generic/get.js';
import { deleteObject } from '../../registry/generic/delete.js';
import { removeShadowed } from '../../registry/generic/removeshadowed.js';
import { repairObject } from '../../registry/generic/repair.js';
import { timestamp } from '../../registry/object/metadata.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { updateObject } from '../../registry/generic/update.js';
import { cachedReads } from './cachedreads.js';
import { deletionOf } from './deletion.js';

/** Thrown to end an update that changes nothing. */
class NothingToDo extends Error {}

/**
 * The client of the controller `user`, a service account of kube-system without restrictions.
 * @param others clients of kinds at another API server
 */
export function controllerClient(
  stores: readonly ResourceStore[],
  user: string,
  others: readonly ResourceClient[] = [],
): Client {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:masters'];
  const options = {
    requester: {
      name: `system:serviceaccount:kube-system:${user}`,
      uid: '',
      groups,
      extra: {},
      internal: true as const,
    },
    dryRun: false,
    warn: () => undefined,
    fieldManager: user,
  };
  const resources = [...stores.map((store) => resourceClient(store, options)), ...others];
  return {
    resources,
    async current() {
      const [store] = stores;
      if (store === undefined) return;
      const revision = await store.newestRevision();
      if (await store.cache.reach(revision, REACH_TIMEOUT)) return;
      throw new CacheUnavailable('the cache does not keep up with the store');
    },
  };
}

type Options = Parameters<typeof createObject>[3];

function resourceClient(store: ResourceStore, options: Options): ResourceClient {
  const { definition } = store;
  return {
    definition,
    ...cachedReads(store),
    live: async (key) => (await liveEntry(store, key))?.object(),
    async create(namespace, object) {
      store.schema.applyDefaults(object);
      store.strategy.applyDefaults?.(object);
      await createObject(store, namespace, object, options);
    },
    async update({ namespace, name, uid, subresource = '' }, change) {
      const next = (live: KubeObject): KubeObject => {
        if (uid !== undefined && live.metadata.uid !== uid) throw notFound(definition, name);
        const changed = change(structuredClone(live));
        if (changed === undefined) throw new NothingToDo();
        return changed;
      };
      try {
        await updateObject(
          store,
          { namespace, name, subresource, change: next, versionRequired: false },
          options,
        );
      } catch (error) {
        if (!(error instanceof NothingToDo)) throw error;
      }
    },
    async delete(key, request) {
      await deleteObject(store, key, { dryRun: [], ...deletionOf(request) }, options);
    },
    removeShadowed: () => removeShadowed(store),
    repair: (key) => repairObject(store, key, { requester: options.requester, now: timestamp() }),
  };
}
