/** Lines of query.jsonl. */
import { equal, throws } from 'node:assert/strict';
import { generateName } from '../../../pkg/apimachinery/names.js';
import { parseDeleteOptions, validateDeleteOptions } from '../../../pkg/apimachinery/options/delete.js';
import { parseDuration } from '../../../pkg/apimachinery/options/duration.js';
import { parseListOptions, validateListOptions } from '../../../pkg/apimachinery/options/list.js';
import { booleanParameter, integerParameter, parseQuery } from '../../../pkg/apimachinery/options/query.js';
import {
  parseCreateOptions,
  parsePatchOptions,
  parseUpdateOptions,
  validateCreateOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from '../../../pkg/apimachinery/options/write.js';
import { parseFieldSelector } from '../../../pkg/apimachinery/selectors/fields.js';
import { parseLabelSelector } from '../../../pkg/apimachinery/selectors/labels.js';
import { parseWarningHeaders } from './parsewarnings.js';
import { warningHeader } from '../../../pkg/apimachinery/warnings.js';
import { causesOf, sameErrors, type Cause } from './metadata.js';
import { refuses, same } from './same.js';

export interface QueryVector {
  readonly id: string;
  readonly kind: keyof typeof JUDGES;
  readonly query: string;
  readonly in: unknown;
  readonly out?: unknown;
  readonly error?: string;
  readonly decoded?: Record<string, unknown>;
  readonly errors: readonly Cause[];
  readonly text: string;
  readonly nanoseconds?: string;
  readonly patchType: string;
  readonly base: string;
  readonly prefix: string;
  readonly suffixAlphabet: string;
  readonly suffixLength: number;
  readonly code: number;
  readonly agent: string;
  readonly header?: string;
}

const JUDGES = {
  bool: (vector: QueryVector) => same(booleanParameter(parameter(vector.in), 'p'), vector.out),
  int64: judgeInteger,
  duration: judgeDuration,
  listOptions: judgeListOptions,
  createOptions: judgeCreateOptions,
  updateOptions: judgeUpdateOptions,
  patchOptions: judgePatchOptions,
  deleteOptions: judgeDeleteOptions,
  generateName: judgeGenerateName,
  warning: judgeWarning,
  parseWarnings: judgeParseWarnings,
};

export function judgeQuery(vector: QueryVector): void {
  JUDGES[vector.kind](vector);
}

const parameter = (values: unknown): URLSearchParams =>
  new URLSearchParams((values as string[]).map((value): [string, string] => ['p', value]));

/** Members that say something, as the vectors write them: zero values left out, 64-bit integers as texts. */
function significant(options: object, texts: readonly string[] = []): Record<string, unknown> {
  const members = Object.entries(options).filter(
    ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(
    members.map(([name, value]) => [name, texts.includes(name) ? String(value) : value]),
  );
}

function judgeInteger(vector: QueryVector): void {
  const read = () => integerParameter(parameter(vector.in), 'p');
  if (vector.error !== undefined) return refuses(read, 400, vector.error);
  const exact = vector.out === null ? undefined : Number(vector.out);
  const most = Number.MAX_SAFE_INTEGER;
  same(read(), exact === undefined ? undefined : Math.max(-most, Math.min(most, exact)));
}

function judgeDuration(vector: QueryVector): void {
  const read = () => String(parseDuration(vector.in as string));
  if (vector.error !== undefined) return refuses(read, 400, vector.error);
  same(read(), vector.nanoseconds);
}

/** Watches with initial events are always on here: what a server without them adds is left out. */
const WITHOUT_WATCH_LIST =
  'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';

function judgeListOptions(vector: QueryVector): void {
  const read = () => {
    const options = parseListOptions(parseQuery(vector.query));
    parseLabelSelector(options.labelSelector);
    parseFieldSelector(options.fieldSelector, () => undefined);
    return options;
  };
  if (vector.error !== undefined) return refuses(read, 400, vector.error);
  const options = read();
  const { limit, watch, allowWatchBookmarks, ...rest } = options;
  const set = { ...rest, ...(limit !== 0 && { limit }), ...(watch && { watch }) };
  const said = { ...set, ...(allowWatchBookmarks && { allowWatchBookmarks }) };
  same(significant(said, ['limit', 'timeoutSeconds']), vector.decoded);
  const expected = vector.errors.filter(({ body }) => !body.includes(WITHOUT_WATCH_LIST));
  const errors = validateListOptions(options, options.watch);
  if (expected.length === vector.errors.length) return sameErrors(errors, vector);
  same(
    causesOf(errors),
    expected.map(({ type, field, body }) => ({ type, field, body })),
  );
}

function judgeCreateOptions(vector: QueryVector): void {
  const options = parseCreateOptions(parseQuery(vector.query));
  same(significant(options), vector.decoded);
  sameErrors(validateCreateOptions(options), vector);
}

function judgeUpdateOptions(vector: QueryVector): void {
  const options = parseUpdateOptions(parseQuery(vector.query));
  same(significant(options), vector.decoded);
  sameErrors(validateUpdateOptions(options), vector);
}

function judgePatchOptions(vector: QueryVector): void {
  const options = parsePatchOptions(parseQuery(vector.query));
  same(significant(options), vector.decoded);
  sameErrors(validatePatchOptions(options, vector.patchType.startsWith('application/apply-patch+')), vector);
}

function judgeDeleteOptions(vector: QueryVector): void {
  const read = () => parseDeleteOptions(parseQuery(vector.query));
  if (vector.error !== undefined) return refuses(read, 400, vector.error);
  const { propagationPolicy, ...rest } = read();
  same({ ...significant(rest), propagationPolicy }, vector.decoded);
  sameErrors(validateDeleteOptions(read()), vector);
}

function judgeGenerateName(vector: QueryVector): void {
  const name = generateName(vector.base);
  equal(name.slice(0, vector.prefix.length), vector.prefix);
  const suffix = name.slice(vector.prefix.length);
  equal(suffix.length, vector.suffixLength);
  same(
    [...suffix].filter((character) => !vector.suffixAlphabet.includes(character)),
    [],
  );
}

function judgeWarning(vector: QueryVector): void {
  const write = () => warningHeader(vector.code, vector.agent, vector.text);
  if (vector.error === undefined) same(write(), vector.header);
  else throws(write, (error: Error) => error.message.includes(vector.error ?? ''));
}

function judgeParseWarnings(vector: QueryVector): void {
  const { warnings, errors } = parseWarningHeaders(vector.in as string[]);
  same([warnings, errors], [vector.out, vector.errors]);
}
