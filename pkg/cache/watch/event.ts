import type { CachedEntry } from '../store/entry.js';
import type { CacheEvent } from '../interface.js';

/** Holds the framed forms of events for a while: until {@link FramedEvents.clear}, or sooner when they get many. */
export interface FramedEvents {
  added(event: StoredEvent, bytes: number): void;
  clear(): void;
}

const FRAMED_BYTES = 32 << 20;

export function keepFramedEvents(limit = FRAMED_BYTES): FramedEvents {
  let events: StoredEvent[] = [];
  let bytes = 0;
  const clear = (): void => {
    for (const event of events) event.dropFrames();
    events = [];
    bytes = 0;
  };
  return {
    added(event, size) {
      if (bytes + size > limit) clear();
      events.push(event);
      bytes += size;
    },
    clear,
  };
}

export class StoredEvent implements CacheEvent {
  readonly revision: number;
  private frames: Map<string, Buffer> | undefined = undefined;

  /** @param entry the object after the event; its revision is the event's. */
  constructor(
    readonly entry: CachedEntry,
    readonly deleted: boolean,
    readonly previous: CachedEntry | undefined,
    /** When it was applied, in milliseconds of `performance.now()`. */
    readonly appliedAt: number,
    private readonly framed: FramedEvents,
  ) {
    this.revision = entry.revision;
  }

  frame(representation: string, make: (event: CacheEvent) => Buffer): Buffer {
    const known = this.frames?.get(representation);
    if (known !== undefined) return known;
    const made = make(this);
    // First the bookkeeping: it may drop the frames of every event, this one's included.
    this.framed.added(this, made.length);
    this.frames ??= new Map();
    this.frames.set(representation, made);
    return made;
  }

  dropFrames(): void {
    this.frames = undefined;
  }
}

/** The changes of one resource in a batch. */
export interface Changes {
  readonly resource: string;
  readonly events: readonly StoredEvent[];
}
