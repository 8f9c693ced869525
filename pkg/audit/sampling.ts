/**
 * Limits the audit lines of anonymous callers, and of users with many denied requests. Beyond the limit, a line with
 * the number of omitted events follows.
 */

/** Lines of a caller: a burst, then lines a second. */
const BURST = 300;
const PER_SECOND = 1;
/** Interval of reports about omitted lines, in ms. */
const TELL_MS = 10_000;
/** Maximum number of callers with an allowance of their own. */
const MAX_CALLERS = 2_000;

/** The omitted lines of one caller. Times in ms since 1970. */
export interface LeftOut {
  /** Undefined: all anonymous callers. */
  readonly caller: string | undefined;
  readonly count: number;
  /** How many of them were changes; absent: none. */
  readonly changes?: number;
  readonly since: number;
}

export interface Sampler {
  /** Whether to write another line of the caller. `caller` undefined: anonymous. */
  allows(caller: string | undefined): boolean;
  /** Number of omitted lines so far. */
  leftOut(): { readonly anonymous: number; readonly users: number };
}

interface Allowance {
  left: number;
  at: number;
  count: number;
  since: number;
}

/** `tell` is called with omitted lines, some seconds later. `now`: ms since 1970. */
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

  /** Replaces a caller with a full allowance. If there is none, further callers share the anonymous one. */
  function allowanceOf(caller: string | undefined, at: number): Allowance {
    const known = allowances.get(caller);
    if (known !== undefined) return known;
    if (allowances.size >= MAX_CALLERS)
      for (const [other, { count, at: last }] of allowances)
        if (count === 0 && at - last > (BURST / PER_SECOND) * 1000) allowances.delete(other);
    if (allowances.size >= MAX_CALLERS && caller !== undefined) return allowanceOf(undefined, at);
    const made: Allowance = { left: BURST, at, count: 0, since: at };
    allowances.set(caller, made);
    return made;
  }

  return {
    allows(caller) {
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
