/** How long failing keys wait (`client-go/util/workqueue`: DefaultTypedControllerRateLimiter). */

const FIRST_MS = 5;
const LONGEST_MS = 60_000;
/** Retries of all keys together: so many per second, after so many at once. */
const PER_SECOND = 10;
const BURST = 100;

export interface Backoff {
  /** Milliseconds that the key is to wait after one more failure. */
  next(key: string): number;
  /** The key succeeded. */
  forget(key: string): void;
}

/** Doubles with each failure of a key, and bounds the failures of all. `now`: milliseconds that never go back. */
export function createBackoff(now: () => number = () => performance.now()): Backoff {
  const failures = new Map<string, number>();
  let tokens = BURST;
  let filled = now();
  return {
    next(key) {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      const own = Math.min(LONGEST_MS, FIRST_MS * 2 ** failed);
      const at = now();
      tokens = Math.min(BURST, tokens + ((at - filled) * PER_SECOND) / 1000) - 1;
      filled = at;
      const shared = tokens >= 0 ? 0 : Math.min(LONGEST_MS, (-tokens * 1000) / PER_SECOND);
      return Math.max(own, shared);
    },
    forget: (key) => void failures.delete(key),
  };
}
