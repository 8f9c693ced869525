/** The rights on the objects of one kind, by object and by subject. As current as the cache. */
import type { KubeObject, ResourceDefinition } from '../../../../api/resource.js';
import { rightsOf, type ObjectRight } from '../rights.js';
import type { CacheEvent, Entry, ResourceCache } from '../../../cache/interface.js';
import { onChanges } from '../../../cache/watch/informer.js';
import { sameJson } from '../../../registry/object/metadata.js';
import { GROUP, USER, type SubjectKey } from '../../../authorization/rbac/subjects.js';

export type Rights = readonly ObjectRight[];

/** The subjects and the objects of a change of rights. */
export interface ObjectRightsChange {
  /** `''`: at the cluster scope, or everywhere. */
  readonly namespace: string;
  /** Absent: everybody's. */
  readonly keys?: Iterable<SubjectKey>;
  /** Whether the change may revoke a right, rather than only grant some. */
  readonly mayRevoke: boolean;
}

/** Throws `CacheUnavailable` before the cache is loaded. */
export interface KindIndex {
  readonly definition: ResourceDefinition;
  /** `path`: `namespace/name`, or `name`. */
  of(path: string): Rights;
  object(path: string): KubeObject | undefined;
  /** The rights on an object at the revision of the entry. */
  at(entry: Entry): Rights;
  /** By namespace (`''`: cluster-scoped), then by name: the objects whose rights name any of these. */
  naming(key: SubjectKey): ReadonlyMap<string, ReadonlyMap<string, Rights>>;
}

const NO_RIGHTS: Rights = [];
const NOWHERE: ReadonlyMap<string, ReadonlyMap<string, Rights>> = new Map();

/**
 * `changed` is called in the turn in which a change arrives, once the kind was read. `lapsed` is called when the kind
 * has to be read again before `changed` is called.
 */
export function kindIndex(
  definition: ResourceDefinition,
  cache: ResourceCache,
  changed: (change: ObjectRightsChange) => void,
  lapsed?: () => void,
): KindIndex {
  const byPath = new Map<string, Rights>();
  const bySubject = new Map<SubjectKey, Map<string, Map<string, Rights>>>();
  // Not cached: parsed copies of all written objects would fill the memory for parsed objects.
  const rights = (entry: Entry): Rights => rightsOf(definition, entry.parse());
  const ofEntries = new EntryRights(rights);

  function add({ path, namespace, name }: Entry, given: Rights): void {
    if (given.length === 0) return;
    byPath.set(path, given);
    for (const key of subjectsOf(given)) {
      const places = bySubject.get(key) ?? new Map<string, Map<string, Rights>>();
      const names = places.get(namespace) ?? new Map<string, Rights>();
      bySubject.set(key, places.set(namespace, names.set(name, given)));
    }
  }

  function remove({ path, namespace, name }: Entry, given: Rights): void {
    byPath.delete(path);
    for (const key of subjectsOf(given)) {
      const places = bySubject.get(key);
      const names = places?.get(namespace);
      names?.delete(name);
      if (names?.size === 0) places?.delete(namespace);
      if (places?.size === 0) bySubject.delete(key);
    }
  }

  function take({ entry, previous, deleted }: CacheEvent): void {
    const before = byPath.get(entry.path) ?? NO_RIGHTS;
    const after = deleted ? NO_RIGHTS : rights(entry);
    ofEntries.changed(previous, before, entry, deleted ? before : after);
    if (sameJson(before, after)) return;
    remove(entry, before);
    add(entry, after);
    const keys = subjectsOf([...before, ...after]);
    changed({ namespace: entry.namespace, keys, mayRevoke: before.length > 0 });
  }

  function rebuild(): void {
    byPath.clear();
    bySubject.clear();
    for (const entry of cache.latest().entries('')) add(entry, rights(entry));
    changed({ namespace: '', mayRevoke: true });
  }

  const current = onChanges(cache, (events) => events.forEach(take), rebuild, lapsed);
  return {
    definition,
    of(path) {
      current();
      return byPath.get(path) ?? NO_RIGHTS;
    },
    object: (path) => cache.latest().get(path)?.object(),
    at: (entry) => ofEntries.of(entry),
    naming(key) {
      current();
      return bySubject.get(key) ?? NOWHERE;
    },
  };
}

/** The rights on objects at the revisions of past changes, so that no request parses them again. */
class EntryRights {
  private readonly known = new WeakMap<Entry, Rights>();

  constructor(private readonly read: (entry: Entry) => Rights) {}

  changed(previous: Entry | undefined, before: Rights, entry: Entry, after: Rights): void {
    if (previous !== undefined) this.known.set(previous, before);
    this.known.set(entry, after);
  }

  of(entry: Entry): Rights {
    const rights = this.known.get(entry) ?? this.read(entry);
    this.known.set(entry, rights);
    return rights;
  }
}

/** The subjects of rights, each once. */
function subjectsOf(rights: Rights): Set<SubjectKey> {
  const keys = new Set<SubjectKey>();
  for (const { users, groups } of rights) {
    for (const user of users) keys.add(USER + user);
    for (const group of groups) keys.add(GROUP + group);
  }
  return keys;
}
