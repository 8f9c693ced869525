/** Limits the reviews for one user, who chooses the names, that the host then denies as its roles predict. */

/** Denials at once, and a second. */
const MAX = 100;
const A_SECOND = 20;
const MAX_USERS = 10_000;

export interface ReviewBudget {
  isSpent(user: string): boolean;
  /** One more was denied. */
  spend(user: string): void;
}

/** `now`: ms, monotonic. */
export function reviewBudget(now: () => number): ReviewBudget {
  const spent = new Map<string, { count: number; at: number }>();
  const countOf = (user: string): number => {
    const { count, at } = spent.get(user) ?? { count: 0, at: 0 };
    return Math.max(0, count - ((now() - at) / 1000) * A_SECOND);
  };
  return {
    isSpent: (user) => countOf(user) > MAX - 1,
    spend(user) {
      const count = countOf(user) + 1;
      spent.delete(user);
      if (spent.size >= MAX_USERS) spent.delete(spent.keys().next().value!);
      spent.set(user, { count, at: now() });
    },
  };
}
