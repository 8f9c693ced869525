import { badRequest } from '../errors.js';
import { quoteGo } from '../quote.js';
import { clampToSafe, parseShortDecimal, parseUint64, uint64Error } from '../strconv.js';

/**
 * Parses a resourceVersion to a revision; `''` and `'0'` are 0. Past 2^53 it is the largest safe integer, which no
 * store reaches: errors should contain the client's text.
 *
 * Throws 400 `resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax`
 * (`APIObjectVersioner.ParseResourceVersion`, whose status 500 becomes 400 here).
 */
export function parseResourceVersion(text: string): number {
  if (text === '') return 0;
  const short = parseShortDecimal(text);
  if (short !== undefined) return short;
  const value = parseUint64(text);
  if (value === undefined) {
    throw badRequest(`resourceVersion: Invalid value: ${quoteGo(text)}: ${uint64Error(text)}`);
  }
  return clampToSafe(value);
}

/**
 * The same for the resourceVersion of an object, with the bare message `strconv.ParseUint: parsing "x": invalid
 * syntax`.
 */
export function parseObjectVersion(text: string): number {
  if (text === '') return 0;
  const value = parseShortDecimal(text) ?? parseUint64(text);
  if (value === undefined) throw badRequest(uint64Error(text));
  return typeof value === 'number' ? value : clampToSafe(value);
}
