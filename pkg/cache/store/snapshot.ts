import type { Snapshot } from '../interface.js';
import type { SortedEntries } from './sortedentries.js';

/**
 * @param entries nobody writes to.
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
