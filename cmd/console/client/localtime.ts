/** Times as the browser's control for local times has them: `2026-01-31T09:05`, in the time zone of the person. */

/** The last time that RFC 3339 can write, as the control has it. */
export const LAST_LOCAL = '9999-12-31T23:59';

/** A time as a calendar and a clock on the wall show it. A `Date` is one. */
export type WallClock = Pick<
  Date,
  'getFullYear' | 'getMonth' | 'getDate' | 'getHours' | 'getMinutes' | 'getSeconds'
>;

/**
 * As the control has it; empty where it is no time, or before the year 1. The parts are read one by one: an offset in whole
 * minutes would be wrong for years before time zones, whose offsets have seconds.
 */
export function localText(at: WallClock): string {
  const year = at.getFullYear();
  if (Number.isNaN(year) || year < 1 || year > 9999) return '';
  const day = [digits(year, 4), digits(at.getMonth() + 1), digits(at.getDate())].join('-');
  const seconds = at.getSeconds() === 0 ? '' : `:${digits(at.getSeconds())}`;
  return `${day}T${digits(at.getHours())}:${digits(at.getMinutes())}${seconds}`;
}

/** RFC 3339, in UTC; empty where it is no time, or outside of the years that RFC 3339 has. */
export function isoOf(local: string): string {
  const at = new Date(local);
  const year = at.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) return '';
  return at.toISOString().replace('.000Z', 'Z');
}

const digits = (value: number, count = 2): string => String(value).padStart(count, '0');
