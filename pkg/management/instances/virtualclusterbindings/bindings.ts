/** The bindings inside virtual clusters, which are removed when the right that they depend on ends. */
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { membersOf, textIn } from '../../../apimachinery/encoding/members.js';
import { forbidden, quote, StatusError } from '../../../apimachinery/errors.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { objectIndex } from '../../../cache/watch/objectindex.js';
import { projectOfNamespace } from '../../projects/names.js';
import type { KeyLifetimes } from '../../accesskeys/authentication/lifetime.js';
import { BindingRights, describePlace } from './bindingrights.js';
import { standingRightsOf, type ServedRights } from '../../standingrights/people.js';
import { holderOf, type People } from '../../standingrights/standing.js';
import type { VirtualClusterBindings } from './interface.js';
import { objectPath, cacheOf } from '../../../registry/keys.js';
import { ingressUrl } from '../kubeconfig/accesspoint.js';
import { BINDING_RECORDS, dropBindingRecord, keepBindingRecord } from '../kubeconfig/bindingrecord.js';
import { userInside } from '../kubeconfig/certificate.js';
import { removeBinding } from '../kubeconfig/removebinding.js';
import type { ManagementServices } from '../../services.js';
import { readStored, storeOf } from '../../../registry/resourcestore.js';
import type { Registry } from '../../../registry/registry.js';
import type { Storage } from '../../../storage/interface.js';

/** The bindings of a user in all virtual clusters: those that cannot be removed stay until their certificates have expired. */
export const MAX_BINDINGS = 200;

/** Records the user of a binding. `records`: the {@link BINDING_RECORDS}. The result rejects with StatusError 403 beyond {@link MAX_BINDINGS}. */
export function bindingRecorder(
  storage: Pick<Storage, 'get' | 'commit'>,
  people: People,
  records: ResourceCache,
): ManagementServices['recordBinding'] {
  const byUser = objectIndex([records], (record) => ({
    keys: [textIn(membersOf(record).holder, 'name') ?? ''],
    value: undefined,
  }));
  return async (user, binding) => {
    if (byUser.having(user.name).size >= MAX_BINDINGS) throw tooMany(user.name, binding.instance.name);
    const holder = holderOf(user, people, Date.now());
    const inside = userInside(holder, binding.madeWith);
    await keepBindingRecord(storage, { ...binding, holder, binding: inside.binding });
    return inside;
  };
}

const tooMany = (user: string, instance: string): StatusError =>
  forbidden(
    VirtualClusterInstance,
    instance,
    `user ${quote(user)} has ${MAX_BINDINGS} bindings in virtual clusters: use fewer access keys for kubeconfigs, or wait until the certificates of ended keys expire`,
  );

export interface BindingParts extends ServedRights {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly registry: Pick<Registry, 'stores' | 'cache'>;
  readonly clusters: ManagementServices['clusters'];
  readonly accessKeys: { readonly lifetimes: Pick<KeyLifetimes, 'madeWithEnd'> };
}

/** The bindings, for the controller that removes them. `prefix`: of the namespaces of projects. */
export function virtualClusterBindingsOf(state: BindingParts, prefix: string): VirtualClusterBindings {
  const { storage, registry, clusters, accessKeys } = state;
  const { cache } = registry;
  const instances = cacheOf(cache, VirtualClusterInstance);
  const store = storeOf(registry.stores, VirtualClusterInstance);
  const rights = new BindingRights({
    rights: standingRightsOf(state, [{ resource: VirtualClusterInstance.plural, cache: instances }]),
    records: cache.resource(BINDING_RECORDS.resource),
    keyEnd: (key) => accessKeys.lifetimes.madeWithEnd(key),
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
