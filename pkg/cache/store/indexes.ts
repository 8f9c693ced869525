/**
 * Finds entries by a label or a field. An index is built in slices at its first use, so that no list waits for it, and
 * then follows changes as long as it is used.
 */
import type { Entry, IndexKey } from '../interface.js';
import { emptySortedEntries, type SortedEntries } from './sortedentries.js';
import { beginSlice } from '../../apimachinery/eventloop/slices.js';
import { soon } from '../../apimachinery/eventloop/turns.js';

/** Entries that are looked at in one turn of the loop, at most. */
const SLICE_ENTRIES = 2_000;
/** Objects of so many bytes are looked at whatever time that takes on a busy machine. */
const SLICE_BYTES = 256 * 1024;
/** Indexes of one resource; the one that was used longest ago makes room. */
const MAX_INDEXES = 16;
const UNUSED_MS = 600_000;

interface Index {
  readonly key: IndexKey;
  readonly byValue: Map<string, SortedEntries>;
  usedAt: number;
  /** The entries that are not indexed yet; undefined when the index is complete. */
  rest: Iterator<Entry> | undefined;
  /** Paths that changed while the index was built: entries of `rest` for them are stale. */
  readonly changed: Set<string>;
}

/** The value that an entry is found by; undefined: by none. */
type Indexed = (entry: Entry, key: IndexKey) => string | undefined;

export class Indexes {
  /** In the order of last use. */
  private readonly indexes = new Map<string, Index>();

  /** @param entries the current ones, which are written to. */
  constructor(
    private readonly entries: SortedEntries,
    private readonly indexed: Indexed,
  ) {}

  /** An object came, changed or went; `next` is in the entries by now. */
  replaced(previous: Entry | undefined, next: Entry | undefined): void {
    for (const index of this.indexes.values()) {
      if (index.rest !== undefined) index.changed.add((next ?? previous)?.path ?? '');
      if (previous !== undefined) this.remove(index, previous);
      if (next !== undefined) this.add(index, next);
    }
  }

  /**
   * The entries that have this value now, which stay as they are; undefined while the index is being built. `now`: ms
   * of `performance.now()`.
   */
  select(key: IndexKey, value: string, now: number): SortedEntries | undefined {
    const name = `${key.by} ${key.name}`;
    const index = this.indexes.get(name) ?? this.begin(key, name, now);
    this.indexes.delete(name);
    this.indexes.set(name, index);
    index.usedAt = now;
    if (index.rest !== undefined) return undefined;
    return index.byValue.get(value)?.clone() ?? emptySortedEntries();
  }

  /** Drops indexes that were not used for a while. */
  trim(now: number): void {
    for (const [name, index] of this.indexes) {
      if (now - index.usedAt > UNUSED_MS) this.indexes.delete(name);
    }
  }

  private begin(key: IndexKey, name: string, now: number): Index {
    const rest = this.entries.clone().entries('')[Symbol.iterator]();
    const index: Index = { key, byValue: new Map(), usedAt: now, rest, changed: new Set() };
    this.indexes.set(name, index);
    if (this.indexes.size > MAX_INDEXES) this.indexes.delete(this.indexes.keys().next().value!);
    this.build(index);
    return index;
  }

  private build(index: Index): void {
    const isOver = beginSlice();
    let bytes = 0;
    for (let looked = 0; looked < SLICE_ENTRIES && (bytes < SLICE_BYTES || !isOver()); looked += 1) {
      const next = index.rest?.next();
      if (next === undefined || next.done === true) {
        index.rest = undefined;
        index.changed.clear();
        return;
      }
      bytes += next.value.byteLength;
      if (!index.changed.has(next.value.path)) this.add(index, next.value);
    }
    soon(() => this.build(index));
  }

  private add(index: Index, entry: Entry): void {
    const value = this.indexed(entry, index.key);
    if (value === undefined) return;
    const known = index.byValue.get(value);
    const same = known ?? emptySortedEntries();
    if (known === undefined) index.byValue.set(value, same);
    same.set(entry.path, entry);
  }

  private remove(index: Index, entry: Entry): void {
    const value = this.indexed(entry, index.key);
    const same = value === undefined ? undefined : index.byValue.get(value);
    if (value === undefined || same === undefined) return;
    same.delete(entry.path);
    if (same.size === 0) index.byValue.delete(value);
  }
}
