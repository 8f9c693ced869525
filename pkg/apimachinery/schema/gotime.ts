/** RFC 3339 as Go's `time.Parse` reads it, with its errors, and as `metav1.Time` and `metav1.MicroTime` write it. */
import { printValue } from '../errors.js';

/** `seconds`: whole ones; `micro`: with exactly six decimals. */
export type TimeForm = 'seconds' | 'micro';

const LAYOUT = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' } as const;

/**
 * Returns the text that Go writes for the same time (UTC, with fractions truncated if the form has none), or Go's
 * error.
 */
export type ParsedTime = { readonly text: string } | { readonly fault: string };

interface Element {
  /** The element of the layout, which errors quote. */
  readonly name: string;
  readonly pattern: RegExp;
  /** The first and the last valid value, and the name in errors. */
  readonly range?: readonly [number, number, string];
}

const literal = (name: string): Element => ({ name, pattern: new RegExp(`^${name}`) });
const FRACTION: Element = { name: '.000000', pattern: /^[.,]\d{6}/ };
const LOOSE_FRACTION: Element = { name: '', pattern: /^(?:[.,]\d+)?/ };
const ZONE = /^(?:Z|[+-]\d{2}:\d{2})/;

const elements = (fraction: Element): readonly Element[] => [
  { name: '2006', pattern: /^\d{4}/ },
  literal('-'),
  { name: '01', pattern: /^\d{2}/, range: [1, 12, 'month'] },
  literal('-'),
  { name: '02', pattern: /^\d{2}/ },
  literal('T'),
  { name: '15', pattern: /^\d{1,2}/, range: [0, 23, 'hour'] },
  literal(':'),
  { name: '04', pattern: /^\d{2}/, range: [0, 59, 'minute'] },
  literal(':'),
  { name: '05', pattern: /^\d{2}/, range: [0, 59, 'second'] },
  fraction,
  { name: 'Z07:00', pattern: ZONE },
];
const ELEMENTS = { seconds: elements(LOOSE_FRACTION), micro: elements(FRACTION) } as const;
const CANONICAL = {
  seconds: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  micro: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
} as const;

const PLAIN_DATE =
  /\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)/
    .source;
const PLAIN_CLOCK = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d/.source;
/** Matches times that Go writes and that are certainly valid; of a 29th of February that depends on the year. */
const PLAIN = {
  seconds: new RegExp(`^${PLAIN_DATE}T${PLAIN_CLOCK}Z$`),
  micro: new RegExp(`^${PLAIN_DATE}T${PLAIN_CLOCK}\\.\\d{6}Z$`),
} as const;

export function parseTime(text: string, form: TimeForm): ParsedTime {
  return PLAIN[form].test(text) ? { text } : parseSlowly(text, form);
}

/** In ms since 1970, with the fraction; undefined if Go refuses the time. */
export function millisecondsOf(text: string): number | undefined {
  const read = readTime(text, 'seconds');
  return 'fault' in read ? undefined : read.date.getTime() + Number(`0.${read.fraction.slice(1)}`) * 1000;
}

function parseSlowly(text: string, form: TimeForm): ParsedTime {
  const read = readTime(text, form);
  if ('fault' in read) return read;
  if (CANONICAL[form].test(text)) return { text };
  return { text: print(read.date, form === 'micro' ? `.${read.fraction.slice(1)}` : '') ?? text };
}

/** `date`: in whole seconds; `fraction`: what follows, from the dot or comma on. */
type ReadTime = { readonly date: Date; readonly fraction: string } | { readonly fault: string };

function readTime(text: string, form: TimeForm): ReadTime {
  const parts: string[] = [];
  let rest = text;
  for (const { name, pattern, range } of ELEMENTS[form]) {
    const part = pattern.exec(rest)?.[0];
    if (part === undefined) {
      return {
        fault: `${parsing(text)} as "${LAYOUT[form]}": cannot parse ${printValue(rest)} as "${name}"`,
      };
    }
    if (range !== undefined && (Number(part) < range[0] || Number(part) > range[1]))
      return { fault: `${parsing(text)}: ${range[2]} out of range` };
    parts.push(part);
    rest = rest.slice(part.length);
  }
  const [year, , month, , day, , hour, , minute, , second, fraction = '', zone = ''] = parts;
  const offset = zoneMinutes(zone);
  if (typeof offset === 'string') return { fault: `${parsing(text)}: ${offset} out of range` };
  if (rest !== '') return { fault: `${parsing(text)}: extra text: ${printValue(rest)}` };
  const [y, mo, d] = [Number(year), Number(month), Number(day)];
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  if (d < 1 || date.getUTCMonth() !== mo - 1) return { fault: `${parsing(text)}: day out of range` };
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  return { date, fraction };
}

const parsing = (text: string): string => `parsing time ${printValue(text)}`;

/** The offset east of Greenwich, or the element that is out of range. */
function zoneMinutes(zone: string): number | string {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 24) return 'time zone offset hour';
  if (minutes > 60) return 'time zone offset minute';
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** Undefined if a year does not have four digits. */
function print(date: Date, fraction: string): string | undefined {
  const text = date.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}${fraction}Z` : undefined;
}

/** Whether a text is Go's zero time, which is printed as null. */
export const isZeroTime = (text: string): boolean => /^0001-01-01T00:00:00(?:\.000000)?Z$/.test(text);
