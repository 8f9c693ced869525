import { exactSteps } from '../../../api/exactjson.js';
import type { JsonValue } from '../../../api/resource.js';
import { tooManyValues } from '../errors.js';
import { escapeHtml, wellFormed } from './gostring.js';
import { MAX_DEPTH, TOO_DEEP, isDeeperThan } from './depth.js';
import { explainSyntaxError } from './jsonerror.js';
import { findDuplicates, hasMoreValuesThan } from './jsonscan.js';
import { runToCompletion, type Steps } from '../eventloop/slices.js';
import { MAX_BODY_VALUES } from './valuecount.js';

export interface JsonDecoded {
  readonly value: JsonValue;
  /**
   * Strict decoding errors, at most 100, in the order of the text. Of JSON `duplicate field "spec.x"`, one per path; of
   * YAML at most one, `yaml: unmarshal errors:` and a line for each key (`  line 7: key "x" already set in map`).
   */
  readonly duplicates: string[];
}

/** The text cannot be decoded. `message` is that of Go's decoders. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** The text is no JSON (`encoding/json.Valid`). */
export class SyntaxDecodeError extends DecodeError {}

/**
 * Parses a document. Invalid UTF-8 and lone surrogates become U+FFFD, as in Go. Integers beyond 2^53
 * that are an int64 are a `bigint`; numbers beyond a double are refused. The last of several equal members wins.
 * Throws {@link DecodeError}; StatusError 413 for more values than a body may have.
 */
export const decodeJson = (text: Buffer | string, options?: DecodeOptions): JsonDecoded =>
  runToCompletion(decodeJsonSteps(text, options));

interface DecodeOptions {
  readonly findDuplicates?: boolean;
}

/** The same in steps, for bodies of clients. */
export function* decodeJsonSteps(
  text: Buffer | string,
  { findDuplicates: wantsDuplicates = false }: DecodeOptions = {},
): Steps<JsonDecoded> {
  const source = typeof text === 'string' ? text : text.toString('utf8');
  if (isDeeperThan(source, MAX_DEPTH)) throw new DecodeError(TOO_DEEP);
  if (hasMoreValuesThan(source, MAX_BODY_VALUES)) throw tooManyValues(MAX_BODY_VALUES);
  yield;
  let value = yield* parse(source);
  yield;
  if (LARGE_NUMBER.test(source)) refuseInfinity(value);
  if (SURROGATE_ESCAPE.test(source)) value = wellFormedValue(value);
  return { value, duplicates: wantsDuplicates ? findDuplicates(source, value) : [] };
}

/** Compact JSON with Go's escapes and no newline at the end. Members in the order of the value. */
export function encodeJson(value: unknown): string {
  return escapeHtml(JSON.stringify(value) ?? 'null');
}

/** JSON indented by two spaces, with Go's escapes and no newline at the end. */
export function encodePretty(value: unknown): string {
  return escapeHtml(JSON.stringify(value, null, 2) ?? 'null');
}

/** Sets a member, even one called `__proto__`. */
export function setMember(map: { [member: string]: JsonValue }, name: string, value: JsonValue): void {
  if (name !== '__proto__') map[name] = value;
  else Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Matches every text with a number of 1e300 or more (and a few others). */
const LARGE_NUMBER = /\d[eE]\+?\d{3}|\d{200}/;
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

function* parse(source: string): Steps<JsonValue> {
  try {
    return yield* exactSteps(source);
  } catch (error) {
    throw new SyntaxDecodeError(explainSyntaxError(source), { cause: error });
  }
}

function refuseInfinity(value: JsonValue): void {
  if (value === Infinity || value === -Infinity) {
    throw new DecodeError('json: cannot unmarshal number into Go value of type float64');
  }
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(refuseInfinity);
}

function wellFormedValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormedValue);
  const out: { [member: string]: JsonValue } = {};
  for (const [name, member] of Object.entries(value))
    setMember(out, wellFormed(name), wellFormedValue(member));
  return out;
}
