/** One clock for all watches: bookmarks, ends, shutdown. */

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
  /** Ends every watch, and every later one at once. */
  shutdown(): void;
}

const TICK_MS = 1000;

export function createWatches(): Watches {
  const watches = new Set<TickedWatch>();
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
    shutdown() {
      closed = true;
      clearInterval(timer);
      for (const watch of watches) watch.end();
    },
  };
}
