/** The scan range of a list or a watch, given its selection. */
import type { Entry, EntryRange, Snapshot } from '../../cache/interface.js';
import type { Selection } from './selectionpredicate.js';

/** The range that a list reads. */
export interface ScanRange {
  readonly range: EntryRange;
  /** A page has a continue token as long as an entry follows in this range, whether or not it matches. */
  readonly whole: EntryRange;
  readonly prefix: string;
}

type Pinned = Pick<Selection, 'name' | 'namespace'>;

/** The prefix of all events that can match: one object, a namespace (`namespace/`) or all (`''`). */
export function watchedPrefix(given: string, selection: Pinned, namespaced: boolean): string {
  return pinnedPath(given, selection, namespaced) ?? namespacePrefix(given, selection, namespaced);
}

function namespacePrefix(given: string, { namespace: pinned = '' }: Pinned, namespaced: boolean): string {
  const namespace = given === '' && namespaced ? pinned : given;
  return namespace === '' ? '' : `${namespace}/`;
}

/** The path of the only object that can match, if the selection names it. */
function pinnedPath(given: string, selection: Pinned, namespaced: boolean): string | undefined {
  const prefix = namespacePrefix(given, selection, namespaced);
  const named = selection.name !== undefined && (prefix !== '' || !namespaced);
  return named ? `${prefix}${selection.name}` : undefined;
}

/** Returns the smallest range with all matches: one object, an index value, or everything. */
export function scanRange(
  snapshot: Snapshot,
  given: string,
  selection: Selection,
  namespaced: boolean,
): ScanRange {
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
