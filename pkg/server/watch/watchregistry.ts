import type { ResourceDefinition } from '../../../api/resource.js';

/** Events sent to all watches of a kind. */
export interface SentEvents {
  readonly definition: ResourceDefinition;
  events: number;
  bytes: number;
}

/** `now`: in ms, from `performance.now()`. */
export interface TickedWatch {
  tick(now: number): void;
  /** Ends the stream cleanly. */
  end(): void;
}

const TICK_MS = 1000;

/** The open watches, with one timer for all: bookmarks, timeouts, shutdown. */
export class WatchRegistry {
  private readonly watches = new Set<TickedWatch>();
  private readonly sentByKind = new Map<ResourceDefinition, SentEvents>();
  private readonly timer: NodeJS.Timeout;
  private closed = false;

  constructor() {
    this.timer = setInterval(() => {
      const now = performance.now();
      for (const watch of this.watches) watch.tick(now);
    }, TICK_MS).unref();
  }

  add(watch: TickedWatch): void {
    if (this.closed) watch.end();
    else this.watches.add(watch);
  }

  remove(watch: TickedWatch): void {
    this.watches.delete(watch);
  }

  get size(): number {
    return this.watches.size;
  }

  /** The counts that the watches of a kind add to. */
  sentTo(definition: ResourceDefinition): SentEvents {
    const sent = this.sentByKind.get(definition) ?? { definition, events: 0, bytes: 0 };
    this.sentByKind.set(definition, sent);
    return sent;
  }

  sent(): Iterable<SentEvents> {
    return this.sentByKind.values();
  }

  /** Ends all open watches. */
  endAll(): void {
    for (const watch of [...this.watches]) watch.end();
  }

  /** Ends all open watches, and each later one when it is added. */
  shutdown(): void {
    this.closed = true;
    clearInterval(this.timer);
    for (const watch of this.watches) watch.end();
  }
}
