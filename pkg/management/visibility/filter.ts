/** The objects of a kind that a user sees: those that they may get, or all with a wide right to list or watch. */
import type { User } from '../../authentication/interface.js';
import type { Entry, EntryRange, Snapshot } from '../../cache/interface.js';
import type { VisibilityFilter } from '../../registry/visibilityfilter.js';
import type { Authorizer, Visible } from '../../authorization/interface.js';

/** A kind, or one namespace of it. */
export interface Collection {
  readonly group: string;
  /** Plural name. */
  readonly resource: string;
  readonly namespaced: boolean;
  /** `''`: all namespaces, or the cluster scope. */
  readonly namespace: string;
}

/** A wide right to any of these verbs shows all objects. */
export type SeeingVerb = 'list' | 'watch' | 'delete' | 'deletecollection';

type Seen = 'all' | ReadonlySet<string>;

export type VisibilityAuthorizer = Pick<Authorizer, 'visible' | 'namespaces'>;

const NONE: ReadonlySet<string> = new Set();
const READING = ['get', 'list', 'watch'];

/**
 * The visible objects; `all`: everything, `nothing`: no right to read any. `wide`: the verb that shows all objects;
 * `narrow`: the verb that shows a named object.
 */
export function filterOf(
  authorizer: VisibilityAuthorizer,
  user: User,
  collection: Collection,
  { wide, narrow }: { readonly wide: SeeingVerb; readonly narrow: 'get' | 'delete' },
): VisibilityFilter | 'all' | 'nothing' {
  const { group, resource } = collection;
  const ask = (verb: string, namespace: string): Visible =>
    authorizer.visible(user, { verb, group, resource, subresource: '', namespace });
  const seenIn = (namespace: string): Seen | undefined => {
    if (ask(wide, namespace).objects === 'all') return 'all';
    const seen = ask(narrow, namespace);
    if (seen.objects !== 'none') return seen.objects === 'all' ? 'all' : seen.names;
    const reads = narrow === 'get' && READING.some((verb) => ask(verb, namespace).objects !== 'none');
    return reads ? NONE : undefined;
  };
  const whole = seenIn(collection.namespace);
  if (whole === 'all') return 'all';
  const parts = new Map<string, Seen>();
  if (!collection.namespaced || collection.namespace !== '') {
    return whole === undefined ? 'nothing' : partialFilter(parts.set(collection.namespace, whole), NONE);
  }
  for (const namespace of authorizer.namespaces(user)) {
    const seen = seenIn(namespace);
    if (seen !== undefined) parts.set(namespace, seen);
  }
  return whole === undefined && parts.size === 0 ? 'nothing' : partialFilter(parts, whole ?? NONE);
}

/** `everywhere`: names that are visible in all namespaces. */
function partialFilter(parts: ReadonlyMap<string, Seen>, everywhere: ReadonlySet<string>): VisibilityFilter {
  const sees: VisibilityFilter['sees'] = ({ namespace, name }) => {
    if (everywhere.has(name)) return true;
    const seen = parts.get(namespace);
    return seen === 'all' || seen?.has(name) === true;
  };
  function* found(snapshot: Snapshot, prefix: string): Generator<Entry> {
    if (everywhere.size > 0) {
      for (const entry of snapshot.entries(prefix)) if (sees(entry)) yield entry;
      return;
    }
    for (const [namespace, seen] of parts) {
      const own = namespace === '' ? '' : `${namespace}/`;
      if (prefix !== '' && own !== prefix) continue;
      if (seen === 'all') yield* snapshot.entries(own);
      else for (const name of seen) yield* present(snapshot.get(own + name));
    }
  }
  return { sees, in: (snapshot, prefix) => rangeOf([...found(snapshot, prefix)].sort(byPath)) };
}

/** The intersection of both filters. */
export function narrowed(sight: VisibilityFilter | 'all', other: VisibilityFilter): VisibilityFilter {
  if (sight === 'all') return other;
  const sees: VisibilityFilter['sees'] = (key) => sight.sees(key) && other.sees(key);
  return {
    sees,
    in: (snapshot, prefix) => rangeOf([...sight.in(snapshot, prefix).entries(prefix)].filter(sees)),
  };
}

export const NOTHING_SEEN: VisibilityFilter = partialFilter(new Map(), NONE);

const present = (entry: Entry | undefined): Entry[] => (entry === undefined ? [] : [entry]);
/** Names of these kinds are ASCII. */
const byPath = (one: Entry, other: Entry): number =>
  one.path < other.path ? -1 : Number(one.path > other.path);

/** Entries in order, all of them under the prefix that is asked for. */
function rangeOf(entries: readonly Entry[]): EntryRange {
  const from = (start: string | undefined): readonly Entry[] => {
    if (start === undefined) return entries;
    const first = entries.findIndex(({ path }) => path >= start);
    return first < 0 ? [] : entries.slice(first);
  };
  return { entries: (_prefix, start) => from(start), count: (_prefix, start) => from(start).length };
}
