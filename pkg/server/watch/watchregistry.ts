/** One clock for all watches: bookmarks, ends, shutdown. */
import type { ResourceDefinition } from '../../../api/resource.js';

/** What has gone to the watchers of a kind. */
export interface SentEvents {
  readonly definition: ResourceDefinition;
  events: number;
  bytes: number;
}

/** A watch as its clock sees it. `now` in ms, from `performance.now()`. */
export interface TickedWatch {
  tick(now: number): void;
  /** Ends the stream cleanly. */
  end(): void;
}

export interface Watches {
  add(watch: TickedWatch): void;
  remove(watch: TickedWatch): void;
  readonly size: number;
  /** Where the watches of a kind count what they send. */
  sentTo(definition: ResourceDefinition): SentEvents;
  sent(): Iterable<SentEvents>;
  /** Ends every watch that is open. */
  endAll(): void;
  /** Ends every watch, and every later one at once. */
  shutdown(): void;
}

const TICK_MS = 1000;

export function createWatches(): Watches {
  const watches = new Set<TickedWatch>();
  const sent = new Map<ResourceDefinition, SentEvents>();
  let closed = false;
  const timer = setInterval(() => {
    const now = performance.now();
    for (const watch of watches) watch.tick(now);
  }, TICK_MS);
  timer.unref();
  return {
    add(watch) {
      if (closed) watch.end();
      else watches.add(watch);
    },
    remove: (watch) => void watches.delete(watch),
    get size() {
      return watches.size;
    },
    sentTo(definition) {
      const known = sent.get(definition) ?? { definition, events: 0, bytes: 0 };
      sent.set(definition, known);
      return known;
    },
    sent: () => sent.values(),
    endAll() {
      for (const watch of [...watches]) watch.end();
    },
    shutdown() {
      closed = true;
      clearInterval(timer);
      for (const watch of watches) watch.end();
    },
  };
}
