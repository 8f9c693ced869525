import { setTimeout as sleep } from 'node:timers/promises';

/** So many turns a second, after so many at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Answers what waits for a turn. Turns are given in the order in which they are asked for. */
export function rateLimiter(
  { perSecond, burst }: RateLimit,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let tokens = burst;
  let filled = now();
  return async () => {
    const at = now();
    tokens = Math.min(burst, tokens + ((at - filled) * perSecond) / 1_000) - 1;
    filled = at;
    if (tokens < 0) await sleep((-tokens * 1_000) / perSecond, undefined, { ref: false });
  };
}
