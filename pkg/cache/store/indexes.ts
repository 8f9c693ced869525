/**
 * Finds entries by a label or a field. An index is built when it is first asked for, in slices, so that no list waits
 * for it; from then on it moves with the objects, for as long as it is used.
 */
import type { Entry, IndexKey } from '../interface.js';
import { emptySortedEntries } from './sortedentries.js';
import type { SortedEntries } from './sortedentries.js';

/** Entries that are looked at in one turn of the loop. */
const SLICE_ENTRIES = 2_000;
/** Indexes of one resource; the one that was used longest ago makes room. */
const MOST_INDEXES = 16;
const UNUSED_MS = 600_000;

export interface Indexes {
  /** An object came, changed or went; `next` is in the entries by now. */
  replaced(previous: Entry | undefined, next: Entry | undefined): void;
  /**
   * The entries that have this value now, which stay as they are; undefined while the index is being built. `now`: ms
   * of `performance.now()`.
   */
  select(key: IndexKey, value: string, now: number): SortedEntries | undefined;
  /** Drops what nobody used for a while. */
  trim(now: number): void;
}

interface Index {
  readonly key: IndexKey;
  readonly byValue: Map<string, SortedEntries>;
  usedAt: number;
  /** What is still to be looked at; undefined when the index is whole. */
  rest: Iterator<Entry> | undefined;
  /** Paths that changed while it was built: what `rest` has of them is old. */
  readonly changed: Set<string>;
}

/**
 * @param entries the current ones, which are written to.
 * @param indexed the value that an entry is found by; undefined: by none.
 */
export function createIndexes(
  entries: SortedEntries,
  indexed: (entry: Entry, key: IndexKey) => string | undefined,
): Indexes {
  const indexes = new Map<string, Index>();

  function add(index: Index, entry: Entry): void {
    const value = indexed(entry, index.key);
    if (value === undefined) return;
    const known = index.byValue.get(value);
    const same = known ?? emptySortedEntries();
    if (known === undefined) index.byValue.set(value, same);
    same.set(entry.path, entry);
  }

  function remove(index: Index, entry: Entry): void {
    const value = indexed(entry, index.key);
    const same = value === undefined ? undefined : index.byValue.get(value);
    if (value === undefined || same === undefined) return;
    same.delete(entry.path);
    if (same.size === 0) index.byValue.delete(value);
  }

  function build(index: Index): void {
    for (let looked = 0; looked < SLICE_ENTRIES; looked += 1) {
      const next = index.rest?.next();
      if (next === undefined || next.done === true) {
        index.rest = undefined;
        index.changed.clear();
        return;
      }
      if (!index.changed.has(next.value.path)) add(index, next.value);
    }
    setImmediate(build, index);
  }

  function begin(key: IndexKey, name: string, now: number): Index {
    const rest = entries.clone().entries('')[Symbol.iterator]();
    const index: Index = { key, byValue: new Map(), usedAt: now, rest, changed: new Set() };
    indexes.set(name, index);
    if (indexes.size > MOST_INDEXES) indexes.delete(indexes.keys().next().value as string);
    build(index);
    return index;
  }

  return {
    replaced(previous, next) {
      for (const index of indexes.values()) {
        if (index.rest !== undefined) index.changed.add((next ?? previous)?.path ?? '');
        if (previous !== undefined) remove(index, previous);
        if (next !== undefined) add(index, next);
      }
    },
    select(key, value, now) {
      const name = `${key.by} ${key.name}`;
      const index = indexes.get(name) ?? begin(key, name, now);
      // The order of the map is that of last use.
      indexes.delete(name);
      indexes.set(name, index);
      index.usedAt = now;
      if (index.rest !== undefined) return undefined;
      return index.byValue.get(value)?.clone() ?? emptySortedEntries();
    },
    trim(now) {
      for (const [name, index] of indexes) if (now - index.usedAt > UNUSED_MS) indexes.delete(name);
    },
  };
}
