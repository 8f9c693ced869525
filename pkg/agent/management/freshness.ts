import type { Freshness } from '../interface.js';

export interface FreshnessOf extends Freshness {
  /** Notes the state of one source. `now` in ms of a monotonic clock. */
  connected(part: string, is: boolean, now: number): void;
}

/** The age is that of the oldest source. */
export function freshnessOf(parts: readonly string[]): FreshnessOf {
  /** When each source was last current; Infinity: it is watched now. */
  const current = new Map<string, number>(parts.map((part) => [part, -Infinity]));
  return {
    connected(part, is, now) {
      if (is) current.set(part, Infinity);
      else if (current.get(part) === Infinity) current.set(part, now);
    },
    age: (now) => Math.max(0, now - Math.min(...current.values())),
  };
}
