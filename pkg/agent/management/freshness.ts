import type { Freshness } from '../interface.js';

export interface FreshnessOf extends Freshness {
  /** What is told of each of the things that are followed. `now` in ms of a clock that only grows. */
  connected(part: string, is: boolean, now: number): void;
}

/** All is as current as the part of it that is furthest behind. */
export function freshnessOf(parts: readonly string[]): FreshnessOf {
  /** When each was last known to be current; Infinity: it is followed now. */
  const current = new Map<string, number>(parts.map((part) => [part, -Infinity]));
  return {
    connected(part, is, now) {
      if (is) current.set(part, Infinity);
      else if (current.get(part) === Infinity) current.set(part, now);
    },
    age: (now) => Math.max(0, now - Math.min(...current.values())),
  };
}
