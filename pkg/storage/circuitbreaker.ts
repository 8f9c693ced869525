/** A store that is known to be away refuses at once, so that nobody waits for what will not be answered. */
import type { Storage } from './interface.js';
import { StorageError } from './interface.js';

export interface WatchedStorage {
  /**
   * As the storage that it was made of. While the store is away, reads and commits reject with `unavailable` at once,
   * and reads under way with them; commits under way go on, as their outcome is open. Watches are left alone.
   */
  readonly storage: Storage;
  /** Whether the store answers. */
  up(): boolean;
  /** Ends the looking; the storage stays open. */
  stop(): void;
}

export interface CircuitBreakerOptions {
  /** How long the store may take to answer a question before it counts as away, in ms. */
  readonly timeoutMs?: number;
  /** Between an answer and the next question, in ms. */
  readonly pauseMs?: number;
  /** Told of each change. */
  readonly changed?: (up: boolean) => void;
}

/** Asks the store for its revision again and again. It counts as being there until it does not answer. */
export function watchStore(storage: Storage, options: CircuitBreakerOptions = {}): WatchedStorage {
  const { timeoutMs = 2_000, pauseMs = 1_000, changed = () => undefined } = options;
  let up = true;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  /** Refuses a read that is under way. */
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
