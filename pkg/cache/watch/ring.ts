import type { StoredEvent } from './event.js';

/** How much of the past is kept for one resource. */
export interface RingLimits {
  readonly ageMs: number;
  readonly events: number;
  /** Of superseded objects. */
  readonly bytes: number;
}

/** So many events stay whatever their age (not whatever their size). */
const LEAST_EVENTS = 100;

/** The events of the recent past, oldest first. */
export interface Ring {
  /** Every event after this revision is in the ring. */
  floor(): number;
  readonly length: number;
  push(event: StoredEvent): void;
  /** Drops what is beyond the limits; `dropped` sees each. */
  trim(now: number, dropped: (event: StoredEvent) => void): void;
  /** Those after `revision`, oldest first. */
  after(revision: number): StoredEvent[];
  /** Those with `from` < revision <= `to`, newest first. */
  between(from: number, to: number): StoredEvent[];
}

/** @param start the revision after which it holds every event. */
export function createRing(start: number, limits: RingLimits): Ring {
  let events: (StoredEvent | undefined)[] = [];
  let first = 0;
  let floor = start;
  let bytes = 0;

  const length = (): number => events.length - first;

  /** The index of the first event after `revision`. */
  function indexAfter(revision: number): number {
    let low = first;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  const isBeyond = (oldest: StoredEvent, now: number): boolean =>
    length() > limits.events ||
    bytes > limits.bytes ||
    (length() > LEAST_EVENTS && now - oldest.appliedAt > limits.ageMs);

  return {
    floor: () => floor,
    get length() {
      return length();
    },
    push(event) {
      events.push(event);
      bytes += supersededBytes(event);
    },
    trim(now, dropped) {
      while (first < events.length) {
        const oldest = events[first]!;
        if (!isBeyond(oldest, now)) break;
        // Not to be held until the array is cut: an old entry keeps a whole slab of old memory.
        events[first] = undefined;
        first += 1;
        floor = oldest.revision;
        bytes -= supersededBytes(oldest);
        dropped(oldest);
      }
      if (first > 1024 ? first * 2 > events.length : first === events.length) {
        events = events.slice(first);
        first = 0;
      }
    },
    // Only events before `first` are undefined.
    after: (revision) => events.slice(indexAfter(revision)) as StoredEvent[],
    between: (from, to) => (events.slice(indexAfter(from), indexAfter(to)) as StoredEvent[]).reverse(),
  };
}

/** What is kept in memory only because the event is. */
function supersededBytes(event: StoredEvent): number {
  return (event.previous?.byteLength ?? 0) + (event.deleted ? event.entry.byteLength : 0);
}
