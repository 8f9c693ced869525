import { failure } from '../../apimachinery/errors.js';

/** Searches at a time: of one user, and of all. */
const OF_ONE = 2;
const OF_ALL = 4;

/** Runs `work` if a slot is free. Throws StatusError 429, and the errors of `work`. */
export type InSlot = <T>(user: string, work: () => Promise<T>) => Promise<T>;

export function searchSlots(): InSlot {
  const running = new Map<string, number>();
  let all = 0;
  return async (user, work) => {
    const own = running.get(user) ?? 0;
    if (own >= OF_ONE) throw busy(`you have ${own} searches of the audit log under way at this server`);
    if (all >= OF_ALL) throw busy(`${all} searches of the audit log are under way at this server`);
    running.set(user, own + 1);
    all += 1;
    try {
      return await work();
    } finally {
      all -= 1;
      const left = (running.get(user) ?? 1) - 1;
      if (left === 0) running.delete(user);
      else running.set(user, left);
    }
  };
}

const busy = (why: string): Error =>
  failure('TooManyRequests', `${why}: try again when one has ended`, { retryAfterSeconds: 1 });
