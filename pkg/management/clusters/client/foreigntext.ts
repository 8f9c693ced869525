/** Text that others wrote: of clusters, their agents, and the users of both. */
import { isObject } from '../../../apimachinery/encoding/members.js';

/** The maximum length of a text from outside, in characters. */
const MAX_FOREIGN_TEXT = 200;
const UNPRINTABLE = /[^ -~]/g;

/**
 * The beginning of a text from outside, for messages, conditions and logs: printable ASCII, as other characters
 * may move a terminal's cursor, hide text or reverse it. Anything but a text is empty.
 */
export function foreignText(text: unknown): string {
  if (typeof text !== 'string') return '';
  return text.slice(0, MAX_FOREIGN_TEXT).replace(UNPRINTABLE, '?');
}

/** A response that refuses a request, with all its texts cut as by {@link foreignText}. */
export const refusalIn = (object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [foreignText(name), cut(value)]));

function cut(value: unknown): unknown {
  if (typeof value === 'string') return foreignText(value);
  if (Array.isArray(value)) return value.map(cut);
  return isObject(value) ? refusalIn(value) : value;
}
