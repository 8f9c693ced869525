/**
 * The bindings of every scope by subject. The index of a scope is built at its first use, and then follows changes.
 */
import type { CacheEvent, Entry } from '../../cache/interface.js';
import { roleRefOf } from '../../registry/rbac/bindings.js';
import { BindingIndex, subjectKeysOf } from './bindingindex.js';
import type { RbacCaches } from './caches.js';
import type { SubjectKey } from './subjects.js';

export interface BindingIndexes {
  /** Of a namespace, or with `''` of the ClusterRoleBindings. */
  of(namespace: string): BindingIndex;
  /** An index that was built before. */
  find(namespace: string): BindingIndex | undefined;
  built(): Iterable<readonly [namespace: string, index: BindingIndex]>;
  /** Of every namespace that has bindings. */
  all(): Iterable<readonly [namespace: string, index: BindingIndex]>;
  /** Applies a change. Returns the subjects of the binding before and after it. */
  changed(event: CacheEvent): readonly SubjectKey[];
  clear(): void;
}

/** Namespaces without bindings that are kept, so that listeners hear of their first one. */
const MAX_EMPTY = 1_000;

export function bindingIndexes({
  roleBindings,
  clusterRoleBindings,
  isIgnored,
}: Pick<RbacCaches, 'roleBindings' | 'clusterRoleBindings' | 'isIgnored'>): BindingIndexes {
  const indexes = new Map<string, BindingIndex>();
  /** Whether every namespace is there that has bindings. */
  let complete = false;
  let empty = 0;

  function put(index: BindingIndex, entry: Entry): void {
    if (isIgnored(entry.name)) return;
    const binding = entry.object();
    if (isIgnored(roleRefOf(binding).name)) index.remove(entry.name);
    else index.put(binding);
  }

  function of(namespace: string): BindingIndex {
    const known = indexes.get(namespace);
    if (known !== undefined) return known;
    const index = new BindingIndex(namespace);
    // It has no bindings, and nobody learns of it: callers may name namespaces without end.
    if (complete && namespace !== '') return index;
    indexes.set(namespace, index);
    const cache = namespace === '' ? clusterRoleBindings : roleBindings;
    for (const entry of cache.latest().entries(namespace === '' ? '' : `${namespace}/`)) put(index, entry);
    if (index.isEmpty && (empty += 1) > MAX_EMPTY) forgetEmpty();
    return index;
  }

  function forgetEmpty(): void {
    build();
    for (const [namespace, index] of indexes)
      if (namespace !== '' && index.isEmpty) indexes.delete(namespace);
    empty = 0;
  }

  function build(): void {
    const missing = new Map<string, BindingIndex>();
    for (const entry of roleBindings.latest().entries('')) {
      const { namespace } = entry;
      if (indexes.has(namespace)) continue;
      const index = missing.get(namespace) ?? new BindingIndex(namespace);
      missing.set(namespace, index);
      put(index, entry);
    }
    for (const [namespace, index] of missing) indexes.set(namespace, index);
    complete = true;
  }

  return {
    of,
    find: (namespace) => indexes.get(namespace),
    built: () => indexes,
    *all() {
      if (!complete) build();
      for (const one of indexes) if (one[0] !== '') yield one;
    },
    changed({ entry, previous, deleted }) {
      const { namespace, name } = entry;
      const index = indexes.get(namespace) ?? (complete ? new BindingIndex(namespace) : undefined);
      if (index === undefined) return [];
      indexes.set(namespace, index);
      const was = previous === undefined ? [] : subjectKeysOf(previous.object(), namespace);
      if (deleted) index.remove(name);
      else put(index, entry);
      return deleted ? was : [...new Set([...was, ...subjectKeysOf(entry.object(), namespace)])];
    },
    clear() {
      indexes.clear();
      complete = false;
      empty = 0;
    },
  };
}
