/** The bindings inside virtual clusters, which are removed when the right that they depend on ends. */
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { projectOfNamespace } from '../../projects/names.js';
import { BindingRights, describePlace } from './bindingrights.js';
import { standingRightsOf, type ServedRights } from '../../standingrights/people.js';
import { holderOf, type People } from '../../standingrights/standing.js';
import type { VirtualClusterBindings } from './interface.js';
import { objectPath, cacheOf } from '../../../registry/keys.js';
import { ingressUrl } from '../kubeconfig/accesspoint.js';
import { BINDING_RECORDS, dropBindingRecord, keepBindingRecord } from '../kubeconfig/bindingrecord.js';
import { removeBinding } from '../kubeconfig/removebinding.js';
import type { ManagementServices } from '../../services.js';
import { readStored, storeOf } from '../../../registry/resourcestore.js';
import type { Registry } from '../../../registry/registry.js';
import type { Storage } from '../../../storage/interface.js';

/** Records the user of a binding. */
export function bindingRecorder(
  storage: Pick<Storage, 'get' | 'commit'>,
  people: People,
): ManagementServices['recordBinding'] {
  return (user, binding) =>
    keepBindingRecord(storage, { ...binding, holder: holderOf(user, people, Date.now()) });
}

export interface BindingParts extends ServedRights {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly registry: Pick<Registry, 'stores' | 'cache'>;
  readonly clusters: ManagementServices['clusters'];
}

/** The bindings, for the controller that removes them. `prefix`: of the namespaces of projects. */
export function virtualClusterBindingsOf(state: BindingParts, prefix: string): VirtualClusterBindings {
  const { storage, registry, clusters } = state;
  const { cache } = registry;
  const instances = cacheOf(cache, VirtualClusterInstance);
  const store = storeOf(registry.stores, VirtualClusterInstance);
  const rights = new BindingRights({
    rights: standingRightsOf(state, [{ resource: VirtualClusterInstance.plural, cache: instances }]),
    records: cache.resource(BINDING_RECORDS.resource),
    async instance(key, from) {
      const path = objectPath(VirtualClusterInstance, key);
      if (from === 'memory') return instances.latest().get(path)?.object();
      return store && (await readStored(store, key))?.object();
    },
  });
  /** The current address by the instance. */
  function serversNow(instance: VirtualClusterInstance | undefined): string[] {
    if (instance === undefined) return [];
    const { cluster: name = '' } = instance.spec?.clusterRef ?? {};
    const cluster = cacheOf(cache, Cluster).latest().get(name)?.object();
    try {
      const project = projectOfNamespace(prefix, instance.metadata.namespace ?? '');
      return [ingressUrl(instance, cluster, project)];
    } catch (error) {
      if (error instanceof StatusError) return [];
      throw error;
    }
  }
  return {
    follow: (changed) => rights.follow(changed),
    all: () => rights.all(),
    forget: (binding) => rights.forget(binding),
    placeOf: (binding) => rights.placeOf(binding),
    async check(binding) {
      const verdict = await rights.check(binding);
      if (verdict === undefined || verdict.holds) return verdict;
      const { record, revision, why, instance } = verdict;
      return {
        holds: false,
        why,
        written: record.written,
        end: record.end,
        hasInstance: instance !== undefined,
        what: describePlace(record.place),
        remove: () => removeBinding(record, clusters, serversNow(instance)),
        drop: () => dropBindingRecord(storage, binding, revision),
      };
    },
  };
}
