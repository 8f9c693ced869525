/** Parses base-10 integers like Go's `strconv`, with its errors. */
import { quoteGo } from './quote.js';

const SHORT_DECIMAL = /^\d{1,15}$/;
const SIGNED = /^[+-]?\d+$/;
const MAX_INT64 = 9_223_372_036_854_775_807n;
const LEAST_INT64 = -9_223_372_036_854_775_808n;
const MAX_UINT64 = 18_446_744_073_709_551_615n;

/** A signed 64-bit integer, or undefined if the text is invalid. */
export function parseInt64(text: string): bigint | undefined {
  if (!SIGNED.test(text) || text.length > 4096) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= LEAST_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** The error of `strconv.ParseInt` for a text that {@link parseInt64} refuses. */
export const int64Error = (text: string): string => numberError('ParseInt', text, SIGNED.test(text));

/** An unsigned 64-bit integer, no sign allowed, or undefined. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^\d+$/.test(text) || text.length > 4096) return undefined;
  const value = BigInt(text);
  return value <= MAX_UINT64 ? value : undefined;
}

/** The error of `strconv.ParseUint` for a text that {@link parseUint64} refuses. */
export const uint64Error = (text: string): string => numberError('ParseUint', text, /^\d+$/.test(text));

/** The integer of a short plain decimal, without the cost of a bigint; undefined for every other text. */
export function parseShortDecimal(text: string): number | undefined {
  return SHORT_DECIMAL.test(text) ? Number(text) : undefined;
}

/** Converts a 64-bit integer to the nearest safe integer. */
export function clampToSafe(value: bigint | number): number {
  const number = Number(value);
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

function numberError(read: string, text: string, isDecimal: boolean): string {
  return `strconv.${read}: parsing ${quoteGo(text)}: ${isDecimal ? 'value out of range' : 'invalid syntax'}`;
}
