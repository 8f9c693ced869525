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

interface Lane {
  readonly most: number;
  readonly mostOfOne: number;
  all: number;
  readonly users: Map<string, number>;
}

export function inFlight({ requests, lasting, share }: InFlightLimits): InFlight {
  const lane = (most: number): Lane => ({
    ...{ most, mostOfOne: Math.max(1, Math.floor(most * share)) },
    ...{ all: 0, users: new Map<string, number>() },
  });
  const lanes = { short: lane(requests), lasting: lane(lasting) };
  const laneOf = (lasts: boolean): Lane => (lasts ? lanes.lasting : lanes.short);
  return {
    count: (lasts) => laneOf(lasts).all,
    enter(user, lasts) {
      const one = laneOf(lasts);
      const own = one.users.get(user) ?? 0;
      if (one.all >= one.most || own >= one.mostOfOne)
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
