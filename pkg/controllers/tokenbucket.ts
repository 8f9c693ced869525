/** A token bucket: a rate per second after a burst. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * Takes a token and returns the milliseconds until it is available. `now`: a monotonic clock in milliseconds.
 */
export function tokenBucket(
  { perSecond, burst }: RateLimit,
  now: () => number = () => performance.now(),
): () => number {
  let tokens = burst;
  let filled = now();
  return () => {
    const at = now();
    tokens = Math.min(burst, tokens + ((at - filled) * perSecond) / 1_000) - 1;
    filled = at;
    return tokens >= 0 ? 0 : (-tokens * 1_000) / perSecond;
  };
}
