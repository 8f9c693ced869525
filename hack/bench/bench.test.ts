import { describe, expect, test } from '@jest/globals';
import { allocatedBytesOf, cpuSecondsOf, residentBytesOf } from './cpu.js';
import { applyLoad, percentile } from './load.js';
import { readOptions } from './options.js';
import { report, shown } from './report.js';
import type { Measured, Row } from './rows/row.js';
import type { TargetName } from './targets/target.js';
import { structural } from './targets/crd.js';

describe('/proc', () => {
  test('CPU of a process whose name has spaces and parentheses', () => {
    const fields = Array.from({ length: 30 }, (_, at) => String(at + 3)).join(' ');
    expect(cpuSecondsOf(`7 (a b) c) ${fields}`)).toBeCloseTo((14 + 15) / 100);
  });

  test.each([
    ['Name:\tx\nVmRSS:\t  2048 kB\nVmData: 1 kB\n', 2_097_152],
    ['Name:\tx\n', 0],
  ])('resident memory of %j', (status, bytes) => expect(residentBytesOf(status)).toBe(bytes));
});

test('what is allocated is what each heap grew by between its collections', () => {
  const log = [
    '[7:0x1a0]  12 ms: Scavenge 4.5 (5.8) -> 4.0 (6.8) MB, pooled: 0 MB, 5.83 / 0.00 ms  allocation failure;',
    '[7:0x2b0]  13 ms: Scavenge 2.0 (5.8) -> 1.0 (6.8) MB, pooled: 0 MB, 5.83 / 0.00 ms  allocation failure;',
    '{"level":"info","msg":"ready"}',
    '[7:0x1a0]  20 ms: Mark-Compact (reduce) 9.0 (5.8) -> 3.0 (6.8) MB, pooled: 0 MB, 5.83 / 0.00 ms  task;',
    '',
  ].join('\n');
  expect(allocatedBytesOf(log)).toBe((4.5 + 2 + 5) * 2 ** 20);
});

test.each([
  [[], 0.5, 0],
  [[1], 0.99, 1],
  [[1, 2, 3, 4], 0.5, 3],
  [[1, 2, 3, 4], 1, 4],
])('of %j the share %d lies below %d', (values, share, expected) => {
  expect(percentile(values, share)).toBe(expected);
});

test('a load runs so many operations, so many at a time', async () => {
  let running = 0;
  let most = 0;
  const indexes: number[] = [];
  const load = await applyLoad(3, { operations: 10, seconds: 60 }, async (index) => {
    indexes.push(index);
    most = Math.max(most, (running += 1));
    await Promise.resolve();
    running -= 1;
    return 5;
  });
  expect(indexes.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(most).toBe(3);
  expect(load).toMatchObject({ operations: 10, bytes: 50 });
  expect(load.latencies).toHaveLength(10);
});

describe('the report', () => {
  test.each([
    [undefined, 'cpu', '–'],
    [84e-6, 'cpu', '84 µs'],
    [2.44e-3, 'cpu', '2.4 ms'],
    [0.0123, 'cpu', '12 ms'],
    [0.857, 'time', '0.86 s'],
    [424e6, 'memory', '0.42 GB'],
  ] as const)('%p of %s is %s', (value, unit, text) => expect(shown(value, unit)).toBe(text));

  test.each([
    [{ embedded: 60e-6, etcd: 60e-6 }, '50 µs | 10.0 | 60 µs | 100 µs | 5.0 | 60 µs, missed'],
    [undefined, '50 µs | 10.0 | – | 100 µs | 5.0 | –'],
  ])('compares with the peer and the aim %j', (aim, cells) => {
    const run = (): Promise<Measured> => Promise.reject(new Error('not run'));
    const row: Row = { name: 'GET', unit: 'cpu', ...(aim && { aim }), run };
    const of = (value: number): Map<string, Measured> => new Map([['GET', { value, residentBytes: 1e8 }]]);
    const results = new Map<TargetName, Map<string, Measured>>([
      ['embedded', of(50e-6)],
      ['etcd', of(100e-6)],
      ['kube-apiserver', of(500e-6)],
      ['floor', of(40e-6)],
    ]);
    expect(report([row], results)).toContain(`| GET | ${cells} | 500 µs | 40 µs |\n`);
  });
});

describe('options', () => {
  test('are read', () => {
    expect(readOptions(['--quick', '--only', 'get', '--targets', 'floor,etcd'])).toMatchObject({
      quick: true,
      only: /get/i,
      targets: ['floor', 'etcd'],
    });
    expect(readOptions(['--help'])).toBeUndefined();
  });

  test.each([[['--targets', 'other']], [['--unknown']]])('%j is refused', (argv) => {
    expect(() => readOptions(argv)).toThrow();
  });
});

test('a structural schema has additionalProperties for maps', () => {
  const map = { type: 'object', patternProperties: { '^.*$': { type: 'string' } } };
  expect(
    structural({ type: 'object', properties: { data: map, list: { type: 'array', items: map } } }),
  ).toEqual({
    type: 'object',
    properties: {
      data: { type: 'object', additionalProperties: { type: 'string' } },
      list: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } },
    },
  });
});
