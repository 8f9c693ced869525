import { describe, expect, test } from '@jest/globals';
import { readVectors } from '../../test/vectors/read.js';
import type { FieldError } from './errors.js';
import { aggregate } from './errors.js';
import { generateName } from './names.js';
import { parseDeleteOptions, validateDeleteOptions } from './options/delete.js';
import { parseDuration } from './options/duration.js';
import { parseListOptions, validateListOptions } from './options/list.js';
import { booleanParameter, integerParameter, parseQuery } from './options/query.js';
import {
  parseCreateOptions,
  parsePatchOptions,
  parseUpdateOptions,
  validateCreateOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from './options/write.js';
import { parseFieldSelector } from './selectors/fields.js';
import { parseLabelSelector } from './selectors/labels.js';
import { warningHeader } from './warnings.js';

interface Cause {
  type: string;
  field: string;
  body: string;
}

interface Vector {
  id: string;
  kind: string;
  query: string;
  in: unknown;
  out?: unknown;
  error?: string;
  decoded?: Record<string, unknown>;
  errors: Cause[];
  text: string;
  nanoseconds?: string;
  patchType: string;
  watchListEnabled: boolean;
  base: string;
  prefix: string;
  suffixAlphabet: string;
  suffixLength: number;
  code: number;
  agent: string;
  header?: string;
}

const vectors = readVectors<Vector>('query');
const ofKind = (...kinds: string[]) =>
  vectors
    .filter(({ kind }) => kinds.includes(kind))
    .map((vector) => [`${vector.kind} ${vector.id}`, vector] as const);

const parameter = (values: unknown) =>
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

const causes = (errors: readonly FieldError[]): Cause[] =>
  errors.map(({ type, path, body }) => ({ type, field: path, body }));

function expectErrors(errors: readonly FieldError[], vector: Pick<Vector, 'errors' | 'text'>): void {
  expect(causes(errors)).toEqual(vector.errors.map(({ type, field, body }) => ({ type, field, body })));
  expect(errors.length === 0 ? '' : aggregate(errors)).toBe(vector.text);
}

const listOptions = (query: string) => {
  const options = parseListOptions(parseQuery(query));
  parseLabelSelector(options.labelSelector);
  parseFieldSelector(options.fieldSelector, () => undefined);
  return options;
};

/** Watches with initial events are always on here: what a server without them adds is left out. */
const WITHOUT_WATCH_LIST =
  'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';

describe('query vectors', () => {
  test.each(ofKind('bool'))('%s', (_id, vector) => {
    expect(booleanParameter(parameter(vector.in), 'p')).toBe(vector.out);
  });

  test.each(ofKind('int64'))('%s', (_id, vector) => {
    const read = () => integerParameter(parameter(vector.in), 'p');
    if (vector.error !== undefined) {
      expect(read).toThrow(expect.objectContaining({ message: vector.error, code: 400 }));
      return;
    }
    const exact = vector.out === null ? undefined : Number(vector.out);
    const most = Number.MAX_SAFE_INTEGER;
    expect(read()).toBe(exact === undefined ? undefined : Math.max(-most, Math.min(most, exact)));
  });

  test.each(ofKind('duration'))('%s', (_id, vector) => {
    const read = () => String(parseDuration(vector.in as string));
    if (vector.error === undefined) expect(read()).toBe(vector.nanoseconds);
    else expect(read).toThrow(expect.objectContaining({ message: vector.error, code: 400 }));
  });

  test.each(ofKind('listOptions'))('%s', (_id, vector) => {
    if (vector.error !== undefined) {
      expect(() => listOptions(vector.query)).toThrow(
        expect.objectContaining({ message: vector.error, code: 400 }),
      );
      return;
    }
    const options = listOptions(vector.query);
    const { limit, watch, allowWatchBookmarks, ...rest } = options;
    const set = { ...rest, ...(limit !== 0 && { limit }), ...(watch && { watch }) };
    const said = { ...set, ...(allowWatchBookmarks && { allowWatchBookmarks }) };
    expect(significant(said, ['limit', 'timeoutSeconds'])).toEqual(vector.decoded);
    const expected = vector.errors.filter(({ body }) => !body.includes(WITHOUT_WATCH_LIST));
    const errors = validateListOptions(options, options.watch);
    if (expected.length === vector.errors.length) expectErrors(errors, vector);
    else expect(causes(errors)).toEqual(expected.map(({ type, field, body }) => ({ type, field, body })));
  });

  test.each(ofKind('createOptions', 'updateOptions'))('%s', (_id, vector) => {
    const create = vector.kind === 'createOptions';
    const options = (create ? parseCreateOptions : parseUpdateOptions)(parseQuery(vector.query));
    expect(significant(options)).toEqual(vector.decoded);
    expectErrors((create ? validateCreateOptions : validateUpdateOptions)(options), vector);
  });

  test.each(ofKind('patchOptions'))('%s', (_id, vector) => {
    const options = parsePatchOptions(parseQuery(vector.query));
    expect(significant(options)).toEqual(vector.decoded);
    expectErrors(
      validatePatchOptions(options, vector.patchType.startsWith('application/apply-patch+')),
      vector,
    );
  });

  test.each(ofKind('deleteOptions'))('%s', (_id, vector) => {
    const read = () => parseDeleteOptions(parseQuery(vector.query));
    if (vector.error !== undefined) {
      expect(read).toThrow(expect.objectContaining({ message: vector.error, code: 400 }));
      return;
    }
    const { propagationPolicy, ...rest } = read();
    expect({
      ...significant(rest),
      ...(propagationPolicy !== undefined && { propagationPolicy }),
    }).toEqual(vector.decoded);
    expectErrors(validateDeleteOptions(read()), vector);
  });

  test.each(ofKind('generateName'))('%s', (_id, vector) => {
    const name = generateName(vector.base);
    expect(name.startsWith(vector.prefix)).toBe(true);
    const suffix = name.slice(vector.prefix.length);
    expect(suffix).toHaveLength(vector.suffixLength);
    expect([...suffix].filter((character) => !vector.suffixAlphabet.includes(character))).toEqual([]);
  });

  test.each(ofKind('warning'))('%s', (_id, vector) => {
    const write = () => warningHeader(vector.code, vector.agent, vector.text);
    if (vector.error === undefined) expect(write()).toBe(vector.header);
    else expect(write).toThrow(vector.error);
  });

  test('every kind of line is covered but the reading of warnings, which is a client’s part', () => {
    const covered = 'bool int64 duration listOptions createOptions updateOptions patchOptions deleteOptions';
    const all = [...covered.split(' '), 'generateName', 'warning', 'parseWarnings'];
    expect([...new Set(vectors.map(({ kind }) => kind))].sort()).toEqual(all.sort());
  });
});
