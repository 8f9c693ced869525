/** One resource's objects and recent past, as loaded once and moved on by events. */
import { StoredEntry } from './entry.js';
import { StoredEvent } from '../watch/event.js';
import type { FramedEvents } from '../watch/event.js';
import { createIndexes } from './indexes.js';
import type { ResourceSource, Snapshot } from '../interface.js';
import type { ParsedObjects } from './parsedobjects.js';
import { keepPastSnapshots } from './pastsnapshots.js';
import { respliceRevision } from './setresourceversion.js';
import { createRing } from '../watch/ring.js';
import type { RingLimits } from '../watch/ring.js';
import type { Slabs } from './slabs.js';
import { snapshotOf } from './snapshot.js';
import { emptySortedEntries } from './sortedentries.js';

/** What the resources of a cache share. */
export interface SharedMemory {
  readonly slabs: Slabs;
  readonly parsed: ParsedObjects;
  readonly framed: FramedEvents;
}

export interface ResourceState {
  /** Puts a record of the first scan in. Throws what `decode` throws. */
  load(path: string, value: Buffer, revision: number): void;
  /**
   * Applies one change; `value` absent: a delete. Answers nothing when no object was or is there. Throws what
   * `decode` throws, and has changed nothing then.
   */
  apply(path: string, value: Buffer | undefined, revision: number, now: number): StoredEvent | undefined;
  /** Drops the past beyond the limits. */
  trim(now: number): void;
  /** @param revision the newest applied one of the store. */
  latest(revision: number): Snapshot;
  at(wanted: number, revision: number): Snapshot | undefined;
  /** Events after this revision are all kept. */
  floor(): number;
  eventsAfter(revision: number): readonly StoredEvent[];
}

/** @param start the revision of the scan that will fill it. */
export function createResourceState(
  source: ResourceSource,
  start: number,
  limits: RingLimits,
  memory: SharedMemory,
): ResourceState {
  const entries = emptySortedEntries();
  const ring = createRing(start, limits);
  const past = keepPastSnapshots(entries, ring);
  const resplice = source.resplice ?? respliceRevision;
  const indexes = createIndexes(entries, source.indexed ?? (() => undefined));
  /** Counts changes of `entries`. */
  let version = 0;
  let newest: Snapshot | undefined;
  /** Whether `entries` is as it was when `newest` was taken. */
  let unchanged = false;

  const entryOf = (path: string, bytes: Buffer, revision: number): StoredEntry =>
    new StoredEntry(path, revision, memory.slabs.store(bytes), memory.parsed);

  function release(entry: StoredEntry): void {
    memory.parsed.removed(entry);
    memory.slabs.release(entry.place);
  }

  function dropped(event: StoredEvent): void {
    if (event.previous !== undefined) release(event.previous);
    if (event.deleted) release(event.entry);
  }

  function change(
    path: string,
    value: Buffer | undefined,
    revision: number,
    now: number,
  ): StoredEvent | undefined {
    const previous = entries.get(path) as StoredEntry | undefined;
    if (value !== undefined) {
      const entry = entryOf(path, source.decode(value, revision), revision);
      entries.set(path, entry);
      indexes.replaced(previous, entry);
      return new StoredEvent(revision, entry, false, previous, now, memory.framed);
    }
    if (previous === undefined) return undefined;
    const last = entryOf(path, resplice(previous.bytes, previous.revision, revision), revision);
    entries.delete(path);
    indexes.replaced(previous, undefined);
    return new StoredEvent(revision, last, true, previous, now, memory.framed);
  }

  /** Indexes follow the newest state: they answer for the one of this version for as long as it is that. */
  function selecting(of: number): Snapshot['select'] {
    return (key, value) => (of === version ? indexes.select(key, value, performance.now()) : undefined);
  }

  function latest(revision: number): Snapshot {
    if (newest === undefined || !unchanged)
      newest = snapshotOf(entries.clone(), revision, selecting(version));
    else if (newest.revision !== revision) newest = { ...newest, revision };
    unchanged = true;
    return newest;
  }

  return {
    load(path, value, revision) {
      unchanged = false;
      version += 1;
      entries.set(path, entryOf(path, source.decode(value, revision), revision));
    },
    apply(path, value, revision, now) {
      const event = change(path, value, revision, now);
      if (event === undefined) return undefined;
      unchanged = false;
      version += 1;
      ring.push(event);
      past.applied(event);
      return event;
    },
    trim(now) {
      ring.trim(now, dropped);
      past.trim(ring.floor());
      indexes.trim(now);
    },
    latest,
    at(wanted, revision) {
      if (wanted < ring.floor() || wanted > revision) return undefined;
      const current = latest(revision);
      return wanted === revision ? current : past.at(wanted, current);
    },
    floor: () => ring.floor(),
    eventsAfter: (revision) => ring.after(revision),
  };
}
