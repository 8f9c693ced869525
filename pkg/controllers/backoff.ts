/** How long failing keys wait (`client-go/util/workqueue`: DefaultTypedControllerRateLimiter). */
import { tokenBucket } from './tokenbucket.js';

const FIRST_MS = 5;
const LONGEST_MS = 60_000;
/** Retries of all keys together. */
const SHARED = { perSecond: 10, burst: 100 };

export interface Backoff {
  /** Milliseconds that the key is to wait after one more failure. */
  next(key: string): number;
  /** The key succeeded. */
  forget(key: string): void;
}

/** Doubles with each failure of a key, and bounds the failures of all. `now`: milliseconds that never go back. */
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
  };
}
