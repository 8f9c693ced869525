/**
 * What strangers, and people who are refused again and again, can write into the audit log: so many lines, then a number
 * of those that were left out.
 */

/** Lines of a caller: so many at once, and then so many a second. */
const BURST = 300;
const PER_SECOND = 1;
/** How often what was left out is told, in ms. */
const TELL_MS = 10_000;
/** So many callers have an allowance of their own at a time. */
const MOST_CALLERS = 2_000;

/** What was left out of one caller. Times in ms since 1970. */
export interface LeftOut {
  /** Undefined: of all who did not prove who they are. */
  readonly caller: string | undefined;
  readonly count: number;
  readonly since: number;
}

export interface Sampler {
  /** Whether one more line of the caller is written. `caller` undefined: nobody proved who it is. */
  takes(caller: string | undefined): boolean;
  /** Lines that were not, so far. */
  leftOut(): { readonly anonymous: number; readonly users: number };
}

interface Allowance {
  left: number;
  at: number;
  count: number;
  since: number;
}

/** `tell`: called, some seconds later, with what was left out. `now`: ms since 1970. */
export function createSampler(tell: (left: LeftOut) => void, now: () => number = Date.now): Sampler {
  const allowances = new Map<string | undefined, Allowance>();
  const total = { anonymous: 0, users: 0 };
  let timer: NodeJS.Timeout | undefined;

  function tellAll(): void {
    timer = undefined;
    for (const [caller, allowance] of allowances) {
      const { count, since } = allowance;
      if (count === 0) continue;
      allowance.count = 0;
      tell({ caller, count, since });
    }
  }

  /** Whose allowance is whole again makes room; where there is none, the rest share that of nobody. */
  function allowanceOf(caller: string | undefined, at: number): Allowance {
    const known = allowances.get(caller);
    if (known !== undefined) return known;
    if (allowances.size >= MOST_CALLERS)
      for (const [other, { count, at: last }] of allowances)
        if (count === 0 && at - last > (BURST / PER_SECOND) * 1000) allowances.delete(other);
    if (allowances.size >= MOST_CALLERS && caller !== undefined) return allowanceOf(undefined, at);
    const made: Allowance = { left: BURST, at, count: 0, since: at };
    allowances.set(caller, made);
    return made;
  }

  return {
    takes(caller) {
      const at = now();
      const allowance = allowanceOf(caller, at);
      allowance.left = Math.min(BURST, allowance.left + (Math.max(0, at - allowance.at) / 1000) * PER_SECOND);
      allowance.at = at;
      if (allowance.left >= 1) {
        allowance.left -= 1;
        return true;
      }
      if (allowance.count === 0) allowance.since = at;
      allowance.count += 1;
      total[caller === undefined ? 'anonymous' : 'users'] += 1;
      timer ??= setTimeout(tellAll, TELL_MS).unref();
      return false;
    },
    leftOut: () => ({ ...total }),
  };
}
