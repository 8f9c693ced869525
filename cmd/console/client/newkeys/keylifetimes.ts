/** The lifetimes that are offered for a new key. */
const DAY = 86_400;
const SECONDS = { hour: 3600, day: DAY, month: 30 * DAY, quarter: 90 * DAY, year: 365 * DAY } as const;
const NAMES = ['hour', 'day', 'month', 'quarter', 'year'] as const;

/** `most`: as long as it may, which has an end; `none`: without end. */
export type Lifetime = keyof typeof SECONDS | 'most' | 'none';

/** Those that are possible. `most`: the longest life, in seconds; undefined: any. */
export function possibleLifetimes(most: number | undefined): readonly Lifetime[] {
  if (most === undefined) return [...NAMES, 'none'];
  const shorter = NAMES.filter((name) => SECONDS[name] <= most);
  return shorter.some((name) => SECONDS[name] === most) ? shorter : [...shorter, 'most'];
}

/** The one that is possible, or the next to it. */
export const nearestOf = (wanted: Lifetime, possible: readonly Lifetime[]): Lifetime =>
  possible.includes(wanted) ? wanted : (possible.at(-1) ?? 'most');

/** In seconds; 0: the server sets it. */
export const secondsOf = (lifetime: Lifetime): number =>
  lifetime === 'most' || lifetime === 'none' ? 0 : SECONDS[lifetime];
