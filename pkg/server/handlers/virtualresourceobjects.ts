/** The kept kinds, for the answers of kinds that are not. */
import {
  apiVersionOf,
  type KubeObject,
  type ObjectOf,
  type OwnerReference,
  type ResourceDefinition,
} from '../../../api/resource.js';
import type { Entry } from '../../cache/interface.js';
import { createObject } from '../../registry/generic/create.js';
import { objectPath } from '../../registry/keys.js';
import { fieldOf } from '../../registry/object/indexkeys.js';
import { moveObject, type Dependent } from '../../registry/generic/move.js';
import type { RequestObjects } from '../../registry/virtualresource.js';
import { readStored, storeKey, type ResourceStore } from '../../registry/resourcestore.js';
import type { ResourceStores } from '../resources.js';

export function requestObjects(stores: ResourceStores): RequestObjects {
  const storeOf = <D extends ResourceDefinition>({
    group,
    version,
    plural,
  }: D): ResourceStore<ObjectOf<D>> => {
    const store = stores.find({ group, version, resource: plural });
    if (store === undefined) throw new RangeError(`${plural} are not served`);
    // A store has objects of the kind that it is found by.
    return store as ResourceStore<ObjectOf<D>>;
  };
  return {
    live: async (kind, key) => (await readStored(storeOf(kind), key))?.object(),
    known: (kind, key) => storeOf(kind).cache.latest().get(objectPath(kind, key))?.object(),
    *cached(kind) {
      for (const entry of storeOf(kind).cache.latest().entries('')) yield entry.object();
    },
    selected(kind, field, value) {
      const all = storeOf(kind).cache.latest();
      const range = all.select({ by: 'field', name: field }, value);
      const found = range?.entries('') ?? fieldMatches(kind, all.entries(''), field, value);
      const count = range?.count('') ?? [...found].length;
      return { count, objects: () => objectsOf(found) };
    },
    async create(kind, namespace, object, write) {
      await createObject(storeOf(kind), namespace, object, write);
    },
    async move(kind, move, write) {
      const dependents = (source: { metadata: { uid?: string } }): Iterable<Dependent> =>
        dependentsOf(stores, move.from, source.metadata.uid ?? '');
      const isEverywhere = (owner: OwnerReference): boolean => isClusterScoped(stores, owner);
      await moveObject(storeOf(kind), { ...move, dependents, isEverywhere }, write);
    },
  };
}

const fieldMatches = <T extends KubeObject>(
  kind: ResourceDefinition,
  entries: Iterable<Entry<T>>,
  field: string,
  value: string,
): readonly Entry<T>[] => [...entries].filter((entry) => fieldOf(kind, entry, field) === value);

function* objectsOf<T extends KubeObject>(entries: Iterable<Entry<T>>): Iterable<T> {
  for (const entry of entries) yield entry.object();
}

function isClusterScoped({ definitions }: ResourceStores, { apiVersion, kind }: OwnerReference): boolean {
  const of = definitions.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
  return of !== undefined && !of.namespaced;
}

/** The stored objects of a namespace with an owner reference to the uid. Only objects whose bytes contain it are parsed. */
function* dependentsOf(stores: ResourceStores, namespace: string, uid: string): Iterable<Dependent> {
  for (const definition of stores.definitions) {
    const { group, version, plural: resource } = definition;
    const store = stores.find({ group, version, resource });
    if (store === undefined || !definition.namespaced) continue;
    for (const entry of store.cache.latest().entries(`${namespace}/`)) {
      if (entry.derived === true || !entry.bytes.includes(uid)) continue;
      const owners = entry.object().metadata.ownerReferences ?? [];
      if (!owners.some((owner) => owner.uid === uid)) continue;
      yield { definition, name: entry.name, key: storeKey(store, { namespace, name: entry.name }) };
    }
  }
}
