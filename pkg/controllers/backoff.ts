/** The back-off of failing keys (`client-go/util/workqueue`: DefaultTypedControllerRateLimiter). */
import { tokenBucket } from './tokenbucket.js';

const FIRST_MS = 5;
const LONGEST_MS = 60_000;
/** The limit of retries of all keys together. */
const SHARED = { perSecond: 10, burst: 100 };

export interface Backoff {
  /** Returns the delay of the key after a further failure, in milliseconds. */
  next(key: string): number;
  /** Resets the key after a success. */
  forget(key: string): void;
  /** Whether no key has failed last; absent: unknown. */
  readonly isEmpty?: boolean;
}

/**
 * Doubles with each failure of a key, and limits the failures of all keys. `now`: a monotonic clock in
 * milliseconds.
 */
export function createBackoff(now: () => number = () => performance.now()): Backoff {
  const failures = new Map<string, number>();
  const shared = tokenBucket(SHARED, now);
  return {
    next(key) {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      const own = Math.min(LONGEST_MS, FIRST_MS * 2 ** failed);
      return Math.max(own, Math.min(LONGEST_MS, shared()));
    },
    forget: (key) => void failures.delete(key),
    get isEmpty() {
      return failures.size === 0;
    },
  };
}
