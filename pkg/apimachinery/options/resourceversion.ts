import { badRequest } from '../errors.js';
import { quoteGo } from '../quote.js';
import { clampToSafe, parseShortDecimal, parseUint64, uint64Error } from '../strconv.js';

/**
 * The revision of a resourceVersion; `''` and `'0'` are 0. Past 2^53 it is the largest safe integer, which no store
 * reaches: messages should print the text as the client wrote it.
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
 * The same for the resourceVersion inside an object, where the text is the bare
 * `strconv.ParseUint: parsing "x": invalid syntax`.
 */
export function parseObjectVersion(text: string): number {
  if (text === '') return 0;
  const value = parseShortDecimal(text) ?? parseUint64(text);
  if (value === undefined) throw badRequest(uint64Error(text));
  return typeof value === 'number' ? value : clampToSafe(value);
}
