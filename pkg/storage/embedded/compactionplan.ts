/** Compaction: finds superseded writes to remove, in steps of bounded size. */
import { logBetween } from './state.js';
import type { HistoryKey, Tables } from './tables.js';

export interface Compaction {
  readonly log: readonly number[];
  readonly history: readonly HistoryKey[];
  /** Everything superseded up to this revision is removed once the step is written. */
  readonly upTo: number;
}

/**
 * Returns the next step from `compacted` towards `oldest`, which checks at most `maxEntries` writes. A write
 * at or before `oldest` makes the put that it replaced unreadable; a delete itself is not needed any more.
 */
export function planCompaction(
  tables: Tables,
  compacted: number,
  oldest: number,
  maxEntries: number,
): Compaction | undefined {
  if (compacted >= oldest || maxEntries === 0) return undefined;
  const log: number[] = [];
  const history: HistoryKey[] = [];
  let [seen, last] = [0, compacted];
  for (const { revision, entry } of logBetween(tables, compacted, oldest)) {
    if (seen === maxEntries) return { log, history, upTo: last };
    seen += 1;
    last = revision;
    // The put that it replaced is unknown, and stays.
    if (entry === undefined) continue;
    if (entry.replaces > 0) {
      log.push(entry.replaces);
      history.push({ key: entry.key, revision: entry.replaces });
    }
    if (entry.value === undefined) log.push(revision);
  }
  return { log, history, upTo: oldest };
}
