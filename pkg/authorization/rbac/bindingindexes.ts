/**
 * The bindings of every scope by subject. The index of a scope is built at its first use, and then follows changes.
 */
import type { CacheEvent, Entry } from '../../cache/interface.js';
import { roleRefOf } from '../../registry/rbac/bindings.js';
import { BindingIndex, subjectKeysOf } from './bindingindex.js';
import type { RbacCaches } from './caches.js';
import type { SubjectKey } from './subjects.js';

/** Namespaces without bindings that are kept, so that their first one is told: callers may name them without end. */
const MAX_EMPTY = 1_000;

export class BindingIndexes {
  private readonly indexes = new Map<string, BindingIndex>();
  /** Whether every namespace is there that has bindings. */
  private complete = false;
  private empty = 0;

  constructor(
    private readonly caches: Pick<RbacCaches, 'roleBindings' | 'clusterRoleBindings' | 'isIgnored'>,
  ) {}

  /** Of a namespace, or with `''` of the ClusterRoleBindings. */
  of(namespace: string): BindingIndex {
    const known = this.indexes.get(namespace);
    if (known !== undefined) return known;
    const index = new BindingIndex(namespace);
    if (this.complete && namespace !== '') return index;
    this.indexes.set(namespace, index);
    const { roleBindings, clusterRoleBindings } = this.caches;
    const cache = namespace === '' ? clusterRoleBindings : roleBindings;
    for (const entry of cache.latest().entries(namespace === '' ? '' : `${namespace}/`))
      this.put(index, entry);
    if (index.isEmpty && (this.empty += 1) > MAX_EMPTY) this.forgetEmpty();
    return index;
  }

  /** An index that was built before. */
  find(namespace: string): BindingIndex | undefined {
    return this.indexes.get(namespace);
  }

  built(): Iterable<readonly [namespace: string, index: BindingIndex]> {
    return this.indexes;
  }

  /** Of every namespace that has bindings. */
  *all(): Iterable<readonly [namespace: string, index: BindingIndex]> {
    if (!this.complete) this.build();
    for (const one of this.indexes) if (one[0] !== '') yield one;
  }

  /** Applies a change. Returns the subjects of the binding before and after it. */
  changed({ entry, previous, deleted }: CacheEvent): readonly SubjectKey[] {
    const { namespace, name } = entry;
    const index = this.indexes.get(namespace) ?? (this.complete ? new BindingIndex(namespace) : undefined);
    if (index === undefined) return [];
    this.indexes.set(namespace, index);
    const was = previous === undefined ? [] : subjectKeysOf(previous.object(), namespace);
    if (deleted) index.remove(name);
    else this.put(index, entry);
    return deleted ? was : [...new Set([...was, ...subjectKeysOf(entry.object(), namespace)])];
  }

  clear(): void {
    this.indexes.clear();
    this.complete = false;
    this.empty = 0;
  }

  private put(index: BindingIndex, entry: Entry): void {
    const { isIgnored } = this.caches;
    if (isIgnored(entry.name)) return;
    const binding = entry.object();
    if (isIgnored(roleRefOf(binding).name)) index.remove(entry.name);
    else index.put(binding);
  }

  private build(): void {
    const missing = new Map<string, BindingIndex>();
    for (const entry of this.caches.roleBindings.latest().entries('')) {
      const { namespace } = entry;
      if (this.indexes.has(namespace)) continue;
      const index = missing.get(namespace) ?? new BindingIndex(namespace);
      missing.set(namespace, index);
      this.put(index, entry);
    }
    for (const [namespace, index] of missing) this.indexes.set(namespace, index);
    this.complete = true;
  }

  private forgetEmpty(): void {
    if (!this.complete) this.build();
    for (const [namespace, index] of this.indexes)
      if (namespace !== '' && index.isEmpty) this.indexes.delete(namespace);
    this.empty = 0;
  }
}
