import type { Snapshot } from './interface.js';
import type { SortedEntries } from './sortedentries.js';

/** @param entries nobody writes to. */
export function snapshotOf(entries: SortedEntries, revision: number): Snapshot {
  return {
    revision,
    size: entries.size,
    get: entries.get,
    entries: entries.entries,
    count: entries.count,
  };
}
