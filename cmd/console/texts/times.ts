/** Relative times in a language. */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `at`, `now`: ms since 1970. `in 3 days`, `2 hours ago`. */
export function relative(at: number, now: number, language: string): string {
  const seconds = (at - now) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return format.format(Math.trunc(seconds / size), unit);
}

export const exact = (at: number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(at);
