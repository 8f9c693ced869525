/** The recent use of each share. */

/** Half-life of past use. */
const HALF_MS = 10_000;
/** Less is forgotten. */
const LEAST = 0.1;

export interface RecentUse {
  /** A negative amount reverts an earlier one. */
  add(share: string, amount: number): void;
  readonly of: (share: string) => number;
}

interface Use {
  readonly amount: number;
  readonly at: number;
}

/** `now` in ms. */
export function recentUse(now: () => number = () => performance.now()): RecentUse {
  /** Least recently used first. */
  const uses = new Map<string, Use>();
  const left = (use: Use | undefined): number =>
    use === undefined ? 0 : use.amount * 0.5 ** ((now() - use.at) / HALF_MS);
  return {
    add(share, amount) {
      const use = { amount: Math.max(0, left(uses.get(share)) + amount), at: now() };
      uses.delete(share);
      uses.set(share, use);
      for (const [oldest, its] of uses) {
        if (left(its) >= LEAST) break;
        uses.delete(oldest);
      }
    },
    of: (share) => left(uses.get(share)),
  };
}
