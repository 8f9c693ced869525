import type { StoredEvent } from './event.js';

/** How much of the past is kept for one resource. */
export interface RingLimits {
  readonly ageMs: number;
  readonly events: number;
  /** Of superseded objects. */
  readonly bytes: number;
}

/** This many events stay whatever their age, unless they exceed the bytes. */
const MIN_EVENTS = 100;

/** The recent events of one resource, oldest first. */
export class Ring {
  private events: (StoredEvent | undefined)[] = [];
  private first = 0;
  private bytes = 0;

  /** @param oldest the revision after which the ring holds every event. */
  constructor(
    private oldest: number,
    private readonly limits: RingLimits,
  ) {}

  /** Every event after this revision is in the ring. */
  floor(): number {
    return this.oldest;
  }

  get length(): number {
    return this.events.length - this.first;
  }

  push(event: StoredEvent): void {
    this.events.push(event);
    this.bytes += supersededBytes(event);
  }

  /** Drops events beyond the limits and passes each to `dropped`. */
  trim(now: number, dropped: (event: StoredEvent) => void): void {
    while (this.first < this.events.length) {
      const event = this.events[this.first]!;
      if (!this.isBeyond(event, now)) break;
      // Cleared before the array is cut: an old entry holds a whole slab in memory.
      this.events[this.first] = undefined;
      this.first += 1;
      this.oldest = event.revision;
      this.bytes -= supersededBytes(event);
      dropped(event);
    }
    const { events, first } = this;
    if (first > 1024 ? first * 2 > events.length : first === events.length) {
      this.events = events.slice(first);
      this.first = 0;
    }
  }

  /** Whether it has several events of this revision and all events since the one before. */
  hasSeveral(revision: number): boolean {
    const at = this.indexAfter(revision - 1);
    return revision > this.oldest && this.events[at + 1]?.revision === revision;
  }

  /** Events after `revision`, oldest first. */
  after(revision: number): StoredEvent[] {
    // Only events before `first` are undefined.
    return this.events.slice(this.indexAfter(revision)) as StoredEvent[];
  }

  /** Events with `from` < revision <= `to`, newest first. */
  between(from: number, to: number): StoredEvent[] {
    // Only events before `first` are undefined.
    return (this.events.slice(this.indexAfter(from), this.indexAfter(to)) as StoredEvent[]).reverse();
  }

  private isBeyond(event: StoredEvent, now: number): boolean {
    return (
      this.length > this.limits.events ||
      this.bytes > this.limits.bytes ||
      (this.length > MIN_EVENTS && now - event.appliedAt > this.limits.ageMs)
    );
  }

  /** The index of the first event after `revision`. */
  private indexAfter(revision: number): number {
    const { events } = this;
    let low = this.first;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Bytes that only the event keeps in memory. */
function supersededBytes(event: StoredEvent): number {
  return (event.previous?.heldBytes ?? 0) + (event.deleted ? event.entry.heldBytes : 0);
}
