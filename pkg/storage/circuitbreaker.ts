/** A circuit breaker: while the store does not answer, requests fail at once instead of waiting. */
import { StorageError, type Storage } from './interface.js';

export interface WatchedStorage {
  /**
   * The wrapped storage. While the breaker is open, reads, commits and reads in flight reject with
   * `unavailable`. Commits in flight continue, as their outcome is unknown. Watches are not affected.
   */
  readonly storage: Storage;
  /** Whether the store answers. */
  up(): boolean;
  /** Stops the probes; the storage stays open. */
  stop(): void;
}

export interface CircuitBreakerOptions {
  /** The time after which a probe counts as failed, in ms. */
  readonly timeoutMs?: number;
  /** The time between probes, in ms. */
  readonly pauseMs?: number;
  /** Called on each change. */
  readonly changed?: (up: boolean) => void;
}

/** Probes the store by reading its revision. The breaker is closed until the first failure. */
export function watchStore(storage: Storage, options: CircuitBreakerOptions = {}): WatchedStorage {
  const { timeoutMs = 2_000, pauseMs = 1_000, changed = () => undefined } = options;
  let up = true;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  /** Reject the reads in flight. */
  const reading = new Set<(error: StorageError) => void>();

  const mark = (now: boolean): void => {
    if (up === now || stopped) return;
    up = now;
    if (!now) for (const refuse of reading) refuse(isAway());
    changed(now);
  };
  const ask = async (): Promise<void> => {
    const late = setTimeout(() => mark(false), timeoutMs);
    try {
      await storage.currentRevision();
      mark(true);
    } catch {
      mark(false);
    } finally {
      clearTimeout(late);
    }
    if (!stopped) timer = setTimeout(() => void ask(), up ? pauseMs : pauseMs / 4).unref();
  };
  void ask();

  const read = <T>(call: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (!up) return reject(isAway());
      reading.add(reject);
      call()
        .finally(() => reading.delete(reject))
        .then(resolve, reject);
    });
  return {
    storage: {
      capabilities: storage.capabilities,
      get: (...args) => read(() => storage.get(...args)),
      scan: (...args) => read(() => storage.scan(...args)),
      currentRevision: () => read(() => storage.currentRevision()),
      commit: (...args) => (up ? storage.commit(...args) : Promise.reject(isAway())),
      watch: (...args) => storage.watch(...args),
      compact: (...args) => storage.compact(...args),
      close: () => storage.close(),
    },
    up: () => up,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

const isAway = (): StorageError =>
  new StorageError({
    code: 'unavailable',
    reason: 'the store does not answer',
    outcome: 'none',
    asked: false,
  });
