import type { Snapshot } from '../interface.js';
import type { SortedEntries } from './sortedentries.js';

/**
 * @param entries are not modified.
 * @param select absent: no index has this state.
 */
export function snapshotOf(
  entries: SortedEntries,
  revision: number,
  select: Snapshot['select'] = () => undefined,
): Snapshot {
  return {
    revision,
    size: entries.size,
    get: entries.get,
    entries: entries.entries,
    count: entries.count,
    select,
  };
}
