/** Limits of requests in flight, separate for long-lived ones. */
import { failure } from '../apimachinery/errors.js';

export interface InFlightLimits {
  readonly requests: number;
  readonly lasting: number;
  /** The share of each limit that one user may use, above 0 up to 1. */
  readonly share: number;
}

export interface InFlight {
  /** Throws StatusError 429. Returns a function that releases the slot once. */
  enter(user: string, lasting: boolean): () => void;
  count(lasting: boolean): number;
}

interface Limit {
  readonly max: number;
  readonly maxPerUser: number;
  all: number;
  readonly users: Map<string, number>;
}

export function inFlight({ requests, lasting, share }: InFlightLimits): InFlight {
  const limit = (max: number): Limit => ({
    max,
    maxPerUser: Math.max(1, Math.floor(max * share)),
    all: 0,
    users: new Map<string, number>(),
  });
  const limits = { short: limit(requests), lasting: limit(lasting) };
  const limitOf = (lasts: boolean): Limit => (lasts ? limits.lasting : limits.short);
  return {
    count: (lasts) => limitOf(lasts).all,
    enter(user, lasts) {
      const one = limitOf(lasts);
      const own = one.users.get(user) ?? 0;
      if (one.all >= one.max || own >= one.maxPerUser)
        throw failure('TooManyRequests', 'too many requests in flight, please try again later', {
          retryAfterSeconds: 1,
        });
      one.all += 1;
      one.users.set(user, own + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        one.all -= 1;
        const rest = (one.users.get(user) ?? 1) - 1;
        if (rest === 0) one.users.delete(user);
        else one.users.set(user, rest);
      };
    },
  };
}
