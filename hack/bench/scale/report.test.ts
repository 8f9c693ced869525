import { expect, test } from '@jest/globals';
import type { Measured } from '../rows/row.js';
import { sizeOf } from './fill.js';
import { scaleChart, scaleTable, type SizeResult } from './report.js';
import { SCALE_ROWS } from './rows.js';

const measured = (value: number): Measured => ({ value, residentBytes: 1e9, blocked: 0.004 });
const result = (objects: number, cpu: number): SizeResult => ({
  size: sizeOf(objects),
  readySeconds: objects / 100_000,
  startBytes: 2e8,
  endBytes: 3e8,
  rows: new Map(SCALE_ROWS.map(({ name }) => [name, measured(cpu)])),
});
const RESULTS = [result(10_000, 100e-6), result(100_000, 110e-6), result(1_000_000, 120e-6)];

test('the table has a column for each size and says how much dearer the last is', () => {
  const lines = scaleTable(RESULTS).split('\n');
  expect(lines[0]).toBe('|  | 10,000 objects | 100,000 objects | 1,000,000 objects | last / first |');
  expect(lines).toContain('| start to ready | 0.10 s | 1.00 s | 10.00 s | 100.00 |');
  expect(lines).toContain('| GET | 100 µs | 110 µs | 120 µs | 1.20 |');
  expect(lines).toContain(
    '| ten informers list all at once: longest block | 4.0 ms | 4.0 ms | 4.0 ms | 1.00 |',
  );
});

test('the chart has a line for each row, from the smallest size to the largest', () => {
  const svg = scaleChart(RESULTS);
  expect(svg.match(/<polyline/g)).toHaveLength(SCALE_ROWS.length + 2);
  expect(svg).toContain('>10,000 objects<');
  expect(svg).toContain('>1,000,000 objects<');
});
