import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../../../api/resource.js';
import { decodeBody } from './body.js';
import { decodeJson } from './json.js';
import { checkGrowth, checkObjectValues } from './valuecount.js';
import { decodeYaml } from './yaml/yaml.js';

const map = (count: number, value: JsonValue = ''): { [member: string]: JsonValue } =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const numbers = (count: number): { [member: string]: JsonValue } => map(count, 1);
const list = (count: number): JsonValue[] => Array.from({ length: count }, () => 1);
const tooMany = (limit: number): object =>
  expect.objectContaining({
    code: 413,
    message: `Request entity too large: limit is ${limit} values`,
  }) as object;

describe('an object', () => {
  // `data` and its members.
  test.each<[string, { [member: string]: JsonValue }, boolean]>([
    ['a map of texts', { data: map(100_000), spec: { data: map(90_000) } }, true],
    ['a map of numbers at the limit', { data: numbers(9_999) }, true],
    ['a map of numbers beyond it', { data: numbers(10_000) }, false],
    ['a list beyond it', { data: list(10_000) }, false],
    ['many in all', { a: numbers(6_000), b: [{ c: list(6_000) }] }, false],
    ['many labels', { metadata: { labels: map(10_000) } }, false],
    ['many managed fields', { metadata: { name: 'a', managedFields: [map(40_000)] } }, true],
    ['members at the top', numbers(10_001), false],
  ])('with %s', (_, object, fits) => {
    const check = (): void => checkObjectValues(object);
    if (fits) expect(check).not.toThrow();
    else expect(check).toThrow(tooMany(10_000));
  });

  test('with too many values may change, but other objects cannot exceed the limit', () => {
    const [small, large, larger] = [1, 40_000, 40_001].map((count) => ({ data: numbers(count) }));
    expect(() => checkGrowth(larger as object as { a: 1 }, large as object as { a: 1 })).not.toThrow();
    expect(() => checkGrowth(large as object as { a: 1 }, small as object as { a: 1 })).toThrow(
      tooMany(10_000),
    );
  });
});

describe('managers of an object', () => {
  const managed = (count: number): { metadata: { managedFields: JsonValue[] } } => ({
    metadata: { managedFields: Array.from({ length: count }, () => ({})) },
  });
  const message = 'Request entity too large: limit is 1000 entries of metadata.managedFields';
  const refused = expect.objectContaining({ code: 413, message }) as object;
  test('are at most 1000', () => {
    expect(() => checkObjectValues(managed(1_000))).not.toThrow();
    expect(() => checkObjectValues(managed(1_001))).toThrow(refused);
  });
  test('may keep a number above the limit, but not exceed it further', () => {
    expect(() => checkGrowth(managed(1_002), managed(1_002))).not.toThrow();
    expect(() => checkGrowth(managed(1_003), managed(1_002))).toThrow(refused);
    expect(() => checkGrowth(managed(1_001), managed(1_000))).toThrow(refused);
  });
});

describe('fields of managers', () => {
  const entry = (fieldsV1: JsonValue): JsonValue => ({ manager: 'm', fieldsV1 });
  const managing = (...sets: JsonValue[]): { metadata: { managedFields: JsonValue[] } } => ({
    metadata: { managedFields: sets.map(entry) },
  });
  const fields = (count: number): { [step: string]: JsonValue } =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f:k${at}`, {}]));
  const message = 'Request entity too large: limit is 131072 fields in metadata.managedFields';
  const refused = expect.objectContaining({ code: 413, message }) as object;
  test('are at most 131072 in total', () => {
    expect(() => checkObjectValues(managing(fields(65_536), { 'f:data': fields(65_535) }))).not.toThrow();
    expect(() => checkObjectValues(managing(fields(65_536), { 'f:data': fields(65_536) }))).toThrow(refused);
  });
  test('with JSON in their path count by length', () => {
    expect(() => checkObjectValues(managing({ [`v:"${'a'.repeat(400_000)}"`]: {} }))).toThrow(refused);
    expect(() => checkObjectValues(managing({ [`f:${'a'.repeat(400_000)}`]: {} }))).not.toThrow();
  });
  test('may keep a number above the limit, but not exceed it further', () => {
    const [few, many, more] = [1, 131_073, 131_074].map((count) => managing(fields(count)));
    expect(() => checkGrowth(many as object as { a: 1 }, more as object as { a: 1 })).not.toThrow();
    expect(() => checkGrowth(more as object as { a: 1 }, many as object as { a: 1 })).toThrow(refused);
    expect(() => checkGrowth(many as object as { a: 1 }, few as object as { a: 1 })).toThrow(refused);
  });
});

describe('a body', () => {
  const many = JSON.stringify({ metadata: { managedFields: list(196_607) } });
  test.each([
    ['JSON', () => decodeJson(many)],
    ['JSON sent as YAML', () => decodeYaml(many)],
    ['YAML', () => decodeYaml(`[${'1,'.repeat(196_608)}1]`)],
  ])('of %s has at most 196608 values', (_, decode) => {
    expect(decode).toThrow(tooMany(196_608));
  });

  test.each([
    ['members', { a: map(98_303), b: map(98_303) }, true],
    ['one member more', { a: map(98_304), b: map(98_303) }, false],
    ['empty objects', list(98_304).map(() => ({})), true],
    ['objects', list(98_305).map(() => ({ a: 1 })), false],
  ] as const)('of JSON counts %s', (_, value, fits) => {
    const decode = (): unknown => decodeJson(JSON.stringify(value));
    if (fits) expect(decode()).toMatchObject({ duplicates: [] });
    else expect(decode).toThrow(tooMany(196_608));
  });

  test('may have many commas in strings', () => {
    const body = JSON.stringify({ data: { 'a.csv': '1,\\"2'.repeat(200_000) } });
    expect(decodeJson(body).value).toEqual(JSON.parse(body));
  });

  test.each(['application/json', 'application/yaml'])(
    'of %s has an object of at most 10000 values',
    (type) => {
      const body = Buffer.from(JSON.stringify({ data: numbers(40_000) }));
      expect(() => decodeBody(body, type, false)).toThrow(tooMany(10_000));
    },
  );
});
