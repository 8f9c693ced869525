/**
 * The newest events in memory, shared by all watches. The buffer is bounded: older events are read from the
 * log.
 */
import type { StorageEvent } from '../interface.js';

const MAX_EVENTS = 8_192;
const MAX_BYTES = 16 * 1024 * 1024;
/** The memory of an event besides its value. */
const EVENT_BYTES = 200;

export class EventBuffer {
  private events: (StorageEvent | undefined)[] = [];
  /** All entries before it are undefined. */
  private first = 0;
  private bytes = 0;
  private lastLost: number;

  /** @param revision the newest revision: the buffer holds later events */
  constructor(revision: number) {
    this.lastLost = revision;
  }

  /** The buffer holds every event after this revision. */
  get after(): number {
    return this.lastLost;
  }

  push(events: readonly StorageEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      this.bytes += sizeOf(event);
    }
    while (this.events.length - this.first > MAX_EVENTS || this.bytes > MAX_BYTES) {
      const dropped = this.events[this.first];
      if (dropped === undefined) break;
      // Releases the value, which may be large, before the array is truncated.
      this.events[this.first] = undefined;
      this.first += 1;
      this.bytes -= sizeOf(dropped);
      this.lastLost = dropped.revision;
    }
    if (this.first > MAX_EVENTS) {
      this.events = this.events.slice(this.first);
      this.first = 0;
    }
  }

  /** The events after `revision`, which is at least {@link after}, oldest first. */
  *since(revision: number): Generator<StorageEvent> {
    for (let index = this.position(revision); index < this.events.length; index++) {
      yield this.events[index]!;
    }
  }

  private position(revision: number): number {
    let [low, high] = [this.first, this.events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function sizeOf(event: StorageEvent): number {
  return EVENT_BYTES + event.key.length + (event.value?.length ?? 0);
}
