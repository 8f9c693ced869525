/** A value that is computed from each object of some resources, by object and by key. As current as the caches. */
import type { KubeObject } from '../../../api/resource.js';
import type { CacheEvent, Entry, ResourceCache } from '../interface.js';
import { onChanges } from './informer.js';

/** What is kept of an object. */
export interface Indexed<V> {
  /** The keys that it is found by. */
  readonly keys: readonly string[];
  readonly value: V;
}

/** Methods throw `CacheUnavailable` before the caches are loaded. */
export interface ObjectIndex<V> {
  /** The value of an object of the first cache. */
  get(path: string): V | undefined;
  /** The values of all objects with the key, by resource and path. */
  having(key: string): ReadonlyMap<string, V>;
  /** The paths of the objects with the key, without their resource. */
  paths(key: string): Iterable<string>;
}

/** Each object is parsed once, when it enters the index. `read` may return undefined for an object that is not kept. */
export function objectIndex<V>(
  caches: readonly [ResourceCache, ...ResourceCache[]],
  read: (object: KubeObject) => Indexed<V> | undefined,
): ObjectIndex<V> {
  const byObject = new Map<string, Indexed<V>>();
  const byKey = new Map<string, Map<string, V>>();
  const none: ReadonlyMap<string, V> = new Map();

  function remove(id: string): void {
    for (const key of byObject.get(id)?.keys ?? []) {
      const found = byKey.get(key);
      found?.delete(id);
      if (found?.size === 0) byKey.delete(key);
    }
    byObject.delete(id);
  }

  function put(id: string, entry: Entry): void {
    remove(id);
    // Not cached: parsed copies of all written objects would fill the memory for parsed objects.
    const kept = read(entry.parse());
    if (kept === undefined) return;
    byObject.set(id, kept);
    for (const key of kept.keys) {
      const found = byKey.get(key) ?? new Map<string, V>();
      byKey.set(key, found.set(id, kept.value));
    }
  }

  const currents = caches.map((cache) => {
    const id = (path: string): string => `${cache.resource} ${path}`;
    const take = ({ entry, deleted }: CacheEvent): void =>
      deleted ? remove(id(entry.path)) : put(id(entry.path), entry);
    return onChanges(
      cache,
      (events) => events.forEach(take),
      () => {
        const prefix = id('');
        for (const known of [...byObject.keys()]) if (known.startsWith(prefix)) remove(known);
        for (const entry of cache.latest().entries('')) put(id(entry.path), entry);
      },
    );
  });
  const current = (): void => {
    for (const follow of currents) follow();
  };
  const [{ resource: first }] = caches;
  const having = (key: string): ReadonlyMap<string, V> => {
    current();
    return byKey.get(key) ?? none;
  };
  return {
    get(path) {
      current();
      return byObject.get(`${first} ${path}`)?.value;
    },
    having,
    *paths(key) {
      for (const id of having(key).keys()) yield id.slice(id.indexOf(' ') + 1);
    },
  };
}
