/** Where a list or a watch looks, given what it selects. */
import type { Entry, EntryRange, Snapshot } from '../../cache/interface.js';
import type { Selection } from './selectionpredicate.js';

/** Where a list looks. */
export interface Searched {
  readonly range: EntryRange;
  /** A page goes on as long as anything follows here, whether it matches or not. */
  readonly whole: EntryRange;
  readonly prefix: string;
}

type Pinned = Pick<Selection, 'name' | 'namespace'>;

/** Under which all events are that can match: one object, a namespace's (`namespace/`) or all (`''`). */
export function watchedPrefix(given: string, selection: Pinned, namespaced: boolean): string {
  return pinnedPath(given, selection, namespaced) ?? namespacePrefix(given, selection, namespaced);
}

function namespacePrefix(given: string, { namespace: pinned = '' }: Pinned, namespaced: boolean): string {
  const namespace = given === '' && namespaced ? pinned : given;
  return namespace === '' ? '' : `${namespace}/`;
}

/** The only object that can match, where the selection names it. */
function pinnedPath(given: string, selection: Pinned, namespaced: boolean): string | undefined {
  const prefix = namespacePrefix(given, selection, namespaced);
  const named = selection.name !== undefined && (prefix !== '' || !namespaced);
  return named ? `${prefix}${selection.name}` : undefined;
}

/** The fewest entries among which everything is that matches: one object, an index's, or all. */
export function searched(
  snapshot: Snapshot,
  given: string,
  selection: Selection,
  namespaced: boolean,
): Searched {
  const prefix = namespacePrefix(given, selection, namespaced);
  const path = pinnedPath(given, selection, namespaced);
  if (path !== undefined) {
    const range = oneEntry(snapshot.get(path));
    return { range, whole: range, prefix };
  }
  let range: EntryRange = snapshot;
  let least = Infinity;
  for (const { key, value } of selection.values) {
    const found = snapshot.select(key, value);
    const count = found?.count(prefix) ?? Infinity;
    if (found === undefined || count >= least) continue;
    range = found;
    least = count;
  }
  return { range, whole: snapshot, prefix };
}

function oneEntry(entry: Entry | undefined): EntryRange {
  const entries = (_prefix: string, start?: string): Entry[] =>
    entry !== undefined && (start === undefined || entry.path >= start) ? [entry] : [];
  return { entries, count: (prefix, start) => entries(prefix, start).length };
}
