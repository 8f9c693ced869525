/** One resource's objects and recent past, as loaded once and moved on by events. */
import { DerivedEntry, StoredEntry, type CachedEntry } from './entry.js';
import { StoredEvent, type FramedEvents } from '../watch/event.js';
import { Indexes } from './indexes.js';
import type { ResourceSource, Snapshot } from '../interface.js';
import type { ParsedObjects } from './parsedobjects.js';
import { keepPastSnapshots, type PastSnapshots } from './pastsnapshots.js';
import { Ring, type RingLimits } from '../watch/ring.js';
import type { Slabs } from './slabs.js';
import { snapshotOf } from './snapshot.js';
import { emptySortedEntries } from './sortedentries.js';
import { setResourceVersion } from './setresourceversion.js';

/** Memory that the resources of a cache share. */
export interface SharedMemory {
  readonly slabs: Slabs;
  readonly parsed: ParsedObjects;
  readonly framed: FramedEvents;
}

export class ResourceState {
  private readonly entries = emptySortedEntries();
  private readonly ring: Ring;
  private readonly past: PastSnapshots;
  private readonly indexes: Indexes;
  private readonly setResourceVersion: typeof setResourceVersion;
  private readonly dropped = (event: StoredEvent): void => this.release(event);
  /** Counts changes of `entries`. */
  private version = 0;
  /** The snapshot of the current `entries`. An older one would keep removed entries in memory. */
  private newest: Snapshot | undefined = undefined;

  /** @param start the revision of the scan that will fill it. */
  constructor(
    private readonly source: ResourceSource,
    start: number,
    limits: RingLimits,
    private readonly memory: SharedMemory,
  ) {
    this.ring = new Ring(start, limits);
    this.past = keepPastSnapshots(this.entries, this.ring);
    this.setResourceVersion = source.setResourceVersion ?? setResourceVersion;
    this.indexes = new Indexes(this.entries, source.indexed ?? (() => undefined));
  }

  /** The placeholder of a corrupt record, if any. */
  placeholder(path: string): Buffer | undefined {
    return this.source.placeholder?.(path);
  }

  /** Adds a record of the first scan. Throws the errors of `decode`. */
  load(path: string, value: Buffer, revision: number): StoredEntry {
    const entry = this.entryOf(path, this.source.decode(value, revision), revision);
    this.loadEntry(entry);
    return entry;
  }

  /**
   * Applies one change; `value` absent: a delete. Returns nothing if there neither was nor is an object. Throws the
   * errors of `decode`, without a change.
   */
  apply(path: string, value: Buffer | undefined, revision: number, now: number): StoredEvent | undefined {
    const event = this.change(path, value, revision, now);
    if (event === undefined) return undefined;
    this.newest = undefined;
    this.version += 1;
    this.ring.push(event);
    this.past.applied(event.revision);
    return event;
  }

  /**
   * Puts these entries in the place of all derived ones whose path begins with `beginning`, which is below `within` (`''`,
   * or `namespace/`). Returns the events, all of this revision.
   */
  derive(
    within: string,
    beginning: string,
    wanted: readonly DerivedEntry[],
    revision: number,
    now: number,
  ): StoredEvent[] {
    const had = this.derivedFrom(within, beginning);
    if (had.length === 0 && wanted.length === 0) return [];
    const { framed } = this.memory;
    const kept = new Set(wanted.map(({ path }) => path));
    const gone = had.filter(({ path }) => !kept.has(path));
    const events = [
      ...gone.map((previous) => new StoredEvent(previous.at(revision), true, previous, now, framed)),
      ...wanted.map((entry) => {
        const previous = had.find(({ path }) => path === entry.path);
        return new StoredEvent(entry, false, previous, now, framed);
      }),
    ];
    this.newest = undefined;
    this.version += 1;
    for (const event of events) {
      this.put(event);
      this.ring.push(event);
    }
    // Once, after the last one: a state between events of one revision is none of the past.
    this.past.applied(revision);
    return events;
  }

  /** Adds an entry of the first scan. */
  loadEntry(entry: CachedEntry): void {
    this.newest = undefined;
    this.version += 1;
    this.entries.set(entry.path, entry);
  }

  /** Drops the past beyond the limits. */
  trim(now: number): void {
    this.ring.trim(now, this.dropped);
    this.past.trim(this.ring.floor());
    this.indexes.trim(now);
  }

  /** @param revision the newest applied one of the store. */
  latest(revision: number): Snapshot {
    if (this.newest === undefined)
      this.newest = snapshotOf(this.entries.clone(), revision, this.selecting(this.version));
    else if (this.newest.revision !== revision) this.newest = { ...this.newest, revision };
    return this.newest;
  }

  at(wanted: number, revision: number): Snapshot | undefined {
    if (wanted < this.ring.floor() || wanted > revision) return undefined;
    const current = this.latest(revision);
    return wanted === revision ? current : this.past.at(wanted, current);
  }

  /** Events after this revision are all kept. */
  floor(): number {
    return this.ring.floor();
  }

  eventsAfter(revision: number): readonly StoredEvent[] {
    return this.ring.after(revision);
  }

  /** Whether several events of this revision are kept, and all after the one before. */
  hasSeveral(revision: number): boolean {
    return this.ring.hasSeveral(revision);
  }

  private derivedFrom(within: string, beginning: string): DerivedEntry[] {
    const found: DerivedEntry[] = [];
    for (const entry of this.entries.entries(within, beginning)) {
      if (!entry.path.startsWith(beginning)) break;
      if (entry instanceof DerivedEntry) found.push(entry);
    }
    return found;
  }

  private put(event: StoredEvent): StoredEvent {
    const { entry, deleted, previous } = event;
    if (deleted) this.entries.delete(entry.path);
    else this.entries.set(entry.path, entry);
    this.indexes.replaced(previous, deleted ? undefined : entry);
    return event;
  }

  private change(
    path: string,
    value: Buffer | undefined,
    revision: number,
    now: number,
  ): StoredEvent | undefined {
    // No other entries are stored here.
    const previous = this.entries.get(path) as CachedEntry | undefined;
    const { framed } = this.memory;
    if (value !== undefined) {
      const entry = this.entryOf(path, this.source.decode(value, revision), revision);
      return this.put(new StoredEvent(entry, false, previous, now, framed));
    }
    if (previous === undefined) return undefined;
    const bytes = this.setResourceVersion(previous.bytes, previous.revision, revision);
    const last = this.entryOf(path, bytes, revision);
    return this.put(new StoredEvent(last, true, previous, now, framed));
  }

  private entryOf(path: string, bytes: Buffer, revision: number): StoredEntry {
    return new StoredEntry(path, revision, this.memory.slabs.store(bytes), this.memory.parsed);
  }

  /** The event has left the ring. */
  private release({ previous, deleted, entry }: StoredEvent): void {
    if (previous !== undefined) this.releaseEntry(previous);
    if (deleted) this.releaseEntry(entry);
  }

  private releaseEntry(entry: CachedEntry): void {
    if (entry instanceof DerivedEntry) return;
    this.memory.parsed.removed(entry);
    this.memory.slabs.release(entry.place);
  }

  /** Indexes follow the newest state, so they answer for this version only while it is the newest. */
  private selecting(of: number): Snapshot['select'] {
    return (key, value) =>
      of === this.version ? this.indexes.select(key, value, performance.now()) : undefined;
  }
}
