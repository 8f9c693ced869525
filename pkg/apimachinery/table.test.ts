import { describe, expect, test } from '@jest/globals';
import { buildTable, humanAge, parseIncludeObject, tableRow, type Column } from './table.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('humanAge', () => {
  // Cases of k8s.io/apimachinery/pkg/util/duration, and the borders between units.
  test.each([
    [-2 * SECOND, '<invalid>'],
    [-SECOND, '0s'],
    [0, '0s'],
    [5 * SECOND, '5s'],
    [119 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [3 * MINUTE + 20 * SECOND, '3m20s'],
    [10 * MINUTE + SECOND, '10m'],
    [179 * MINUTE, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + MINUTE, '3h1m'],
    [8 * HOUR - SECOND, '7h59m'],
    [8 * HOUR + MINUTE, '8h'],
    [47 * HOUR, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + 4 * HOUR, '2d4h'],
    [8 * DAY + HOUR, '8d'],
    [729 * DAY, '729d'],
    [2 * 365 * DAY, '2y'],
    [2 * 365 * DAY + DAY, '2y1d'],
    [8 * 365 * DAY + 5 * DAY, '8y'],
  ])('%d ms', (elapsed, expected) => {
    const from = Date.parse('2001-01-01T00:00:00Z');
    expect(humanAge('2001-01-01T00:00:00Z', from + elapsed)).toBe(expected);
  });
  test('without a time', () => {
    expect([humanAge(undefined, 0), humanAge('', 0), humanAge('x', 0)]).toEqual(Array(3).fill('<unknown>'));
  });
});

describe('Table', () => {
  const object = { kind: 'K', apiVersion: 'v1', metadata: { name: 'a' }, spec: {} };
  const columns: Column[] = [{ name: 'Name', type: 'string', format: 'name', description: 'd', priority: 0 }];
  test.each([
    ['None', null],
    [
      'Metadata',
      { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: { name: 'a' } },
    ],
    ['Object', object],
  ] as const)('includeObject %s', (include, expected) => {
    expect(tableRow(['a'], object, include, 'v1beta1')).toEqual({ cells: ['a'], object: expected });
  });
  test('has its members in order', () => {
    expect(JSON.stringify(buildTable(columns, [], { resourceVersion: '5' }))).toBe(
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"d","priority":0}],"rows":[]}',
    );
  });
  test('includeObject of the query', () => {
    expect([undefined, '', 'None', 'Object'].map(parseIncludeObject)).toEqual([
      'Metadata',
      'Metadata',
      'None',
      'Object',
    ]);
    expect(() => parseIncludeObject('x')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "x": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });
});
