/** The bindings inside virtual clusters, which are removed when the right that they depend on ends. */
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { membersOf, textIn } from '../../../apimachinery/encoding/members.js';
import { forbidden, quote, StatusError } from '../../../apimachinery/errors.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { objectIndex } from '../../../cache/watch/objectindex.js';
import { projectOfNamespace } from '../../projects/names.js';
import { KEY_RECORDS } from '../../accesskeys/keyrecord.js';
import type { KeyLifetimes } from '../../accesskeys/authentication/lifetime.js';
import { BindingRights, describePlace } from './bindingrights.js';
import { standingRightsOf, type ServedRights } from '../../standingrights/people.js';
import { holderOf, type People } from '../../standingrights/standing.js';
import type { VirtualClusterBindings } from './interface.js';
import { objectPath, cacheOf } from '../../../registry/keys.js';
import { ingressUrl } from '../kubeconfig/accesspoint.js';
import {
  BINDING_RECORDS,
  bindingRecordName,
  dropBindingRecord,
  keepBindingRecord,
  type Place,
} from '../kubeconfig/bindingrecord.js';
import { userInside } from '../kubeconfig/certificate.js';
import { removeBinding } from '../kubeconfig/removebinding.js';
import type { ManagementServices } from '../../services.js';
import { readStored, storeOf } from '../../../registry/resourcestore.js';
import type { Registry } from '../../../registry/registry.js';
import type { Storage } from '../../../storage/interface.js';

/** The bindings of a user in one virtual cluster with certificates that have not expired. */
export const MAX_BINDINGS = 200;
/** The longest time between the record of a binding and its certificate. */
const REQUEST_MS = 60_000;

/**
 * Records the user of a binding. `records`: the {@link BINDING_RECORDS}. The result rejects with StatusError 403 for a new binding
 * beyond {@link MAX_BINDINGS}.
 */
export function bindingRecorder(
  storage: Pick<Storage, 'get' | 'commit'>,
  people: People,
  records: ResourceCache,
): ManagementServices['recordBinding'] {
  const endsByUser = objectIndex([records], (record) => {
    const { place, holder, end } = membersOf(record);
    return { keys: [userKey(membersOf(place), textIn(holder, 'name'))], value: Number(end) };
  });
  return async (user, made) => {
    const holder = holderOf(user, people, Date.now());
    const inside = userInside(holder, made.madeWith);
    const ends = [...endsByUser.having(userKey(made.place, user.name)).values()];
    const isNew = records.latest().get(bindingRecordName(made.place, inside.binding)) === undefined;
    if (isNew && ends.filter((end) => end > made.written).length >= MAX_BINDINGS)
      throw tooMany(user.name, made.instance.name);
    const record = { ...made, holder, binding: inside.binding, end: made.written + REQUEST_MS };
    await keepBindingRecord(storage, record);
    return { inside, issued: (end) => keepBindingRecord(storage, { ...record, end }) };
  };
}

const userKey = (
  { cluster, namespace, virtualCluster }: Partial<Record<keyof Place, unknown>>,
  user: string | undefined,
): string => JSON.stringify([cluster, namespace, virtualCluster, user]);

const tooMany = (user: string, instance: string): StatusError =>
  forbidden(
    VirtualClusterInstance,
    instance,
    `user ${quote(user)} has certificates of ${MAX_BINDINGS} access keys there: use fewer access keys for its kubeconfigs, or wait until certificates expire`,
  );

export interface BindingParts extends ServedRights {
  readonly storage: Pick<Storage, 'get' | 'commit'>;
  readonly registry: Pick<Registry, 'stores' | 'cache'>;
  readonly clusters: ManagementServices['clusters'];
  readonly accessKeys: { readonly lifetimes: Pick<KeyLifetimes, 'madeWithEnd' | 'dependenciesOf'> };
}

/** The bindings, for the controller that removes them. `prefix`: of the namespaces of projects. */
export function virtualClusterBindingsOf(state: BindingParts, prefix: string): VirtualClusterBindings {
  const { storage, registry, clusters, accessKeys } = state;
  const { cache } = registry;
  const instances = cacheOf(cache, VirtualClusterInstance);
  const store = storeOf(registry.stores, VirtualClusterInstance);
  const rights = new BindingRights({
    rights: standingRightsOf(state, [
      { resource: VirtualClusterInstance.plural, cache: instances },
      { resource: KEY_RECORDS.resource, cache: cache.resource(KEY_RECORDS.resource), isRecord: true },
    ]),
    records: cache.resource(BINDING_RECORDS.resource),
    keyEnd: (key) => accessKeys.lifetimes.madeWithEnd(key),
    keyObjects: (key) => accessKeys.lifetimes.dependenciesOf(key),
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
