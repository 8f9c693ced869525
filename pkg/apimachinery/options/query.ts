/**
 * Query parameters and their conversion to values (`k8s.io/apimachinery/pkg/runtime/converter.go`): the first value
 * of a parameter wins, unknown parameters are ignored, names are exact.
 */
import { badRequest } from '../errors.js';
import { clampToSafe, int64Error, parseInt64, parseShortDecimal } from '../strconv.js';

/** The parameters of a request, read-only. */
export type Query = URLSearchParams;

/** A query without parameters, shared by all requests that have none. */
export const EMPTY_QUERY: Query = new URLSearchParams();

/** Matches queries whose pairs need checks: see {@link parseQuery}. */
const UNUSUAL = /^\?|;|%(?![0-9A-Fa-f]{2})/;

/** The length from which {@link parseForm} gives each name a value. */
const LONG = 4_096;

/**
 * Parses an untrusted `application/x-www-form-urlencoded` text in linear time: URLSearchParams of Node 24 takes time
 * quadratic in the number of names without a value (1.4 s for 400,000).
 */
export function parseForm(text: string): URLSearchParams {
  if (text.length < LONG) return new URLSearchParams(text);
  const pairs = text.split('&').map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`));
  return new URLSearchParams(pairs.join('&'));
}

/**
 * Parses the part of a URL after `?`. As in Go's `net/url`, a pair with a `;` or an invalid `%` escape is dropped,
 * and a further `?` belongs to the first name.
 */
export function parseQuery(text: string): Query {
  if (text === '') return EMPTY_QUERY;
  if (!UNUSUAL.test(text)) return parseForm(text);
  const pairs = text.split('&').filter((pair) => !/;|%(?![0-9A-Fa-f]{2})/.test(pair));
  // URLSearchParams removes one leading `?`.
  return parseForm(`?${pairs.join('&')}`);
}

/** The first value, `''` if absent. */
export function textParameter(query: Query, name: string): string {
  return query.get(name) ?? '';
}

/** False if absent, `0` or `false` in any letter case; other values, also the empty one, are true. */
export function booleanParameter(query: Query, name: string): boolean {
  return optionalBoolean(query, name) ?? false;
}

/** The same, undefined if absent. */
export function optionalBoolean(query: Query, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

/**
 * A signed 64-bit integer, the nearest safe one past 2^53; undefined if absent. Throws 400 `strconv.ParseInt: parsing
 * "x": invalid syntax`.
 */
export function integerParameter(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = parseShortDecimal(text) ?? parseInt64(text);
  if (value === undefined) throw badRequest(int64Error(text));
  return typeof value === 'number' ? value : clampToSafe(value);
}
