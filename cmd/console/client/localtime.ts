/** Times in the format of `<input type="datetime-local">`: `2026-01-31T09:05`, in the time zone of the user. */

/** The last time that RFC 3339 can express, in the format of the input. */
export const LAST_LOCAL = '9999-12-31T23:59';

/** The parts of a local time. A `Date` has them. */
export type WallClock = Pick<
  Date,
  'getFullYear' | 'getMonth' | 'getDate' | 'getHours' | 'getMinutes' | 'getSeconds'
>;

/**
 * The time in the format of the input; empty if it is no valid time, or before the year 1. The parts are read one by
 * one: an offset in whole minutes would be wrong for years before time zones, whose offsets have seconds.
 */
export function localText(at: WallClock): string {
  const year = at.getFullYear();
  if (Number.isNaN(year) || year < 1 || year > 9999) return '';
  const day = [digits(year, 4), digits(at.getMonth() + 1), digits(at.getDate())].join('-');
  const seconds = at.getSeconds() === 0 ? '' : `:${digits(at.getSeconds())}`;
  return `${day}T${digits(at.getHours())}:${digits(at.getMinutes())}${seconds}`;
}

/** RFC 3339, in UTC; empty if the text is no valid time, or outside the years that RFC 3339 allows. */
export function isoOf(local: string): string {
  const at = new Date(local);
  const year = at.getUTCFullYear();
  if (Number.isNaN(year) || year < 0 || year > 9999) return '';
  return at.toISOString().replace('.000Z', 'Z');
}

const digits = (value: number, count = 2): string => String(value).padStart(count, '0');
