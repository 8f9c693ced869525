import { describe, expect, test } from '@jest/globals';
import { chartOf, ratesOf, reportOf } from './report.js';
import { kilobytes, metric, type Sample } from './sample.js';
import { grows, trendOf } from './trend.js';

const at = (count: number, value: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ seconds: index * 10, value: value(index) }));
/** Between -1 and 1, the same in every run. */
const noise = (index: number): number => Math.sin(index * 12.9898) % 1;

describe('the trend of samples', () => {
  test('is the change in an hour', () => {
    const { mean, slope, standardError } = trendOf(
      at(180, (index) => 100 + index),
      60,
    );
    expect(mean).toBeCloseTo(189.5);
    expect(slope).toBeCloseTo(360);
    expect(standardError).toBeCloseTo(0);
  });

  test.each([
    ['noise', (index: number) => 100 + 20 * noise(index), false],
    ['a sawtooth', (index: number) => 100 + (index % 30), false],
    ['what falls', (index: number) => 500 - index, false],
    ['what stays', () => 7, false],
    ['less than a hundredth in an hour', (index: number) => 100 + index * 0.002, false],
    ['a leak below noise of its size', (index: number) => 100 + index * 0.2 + 10 * noise(index), true],
  ])('%s', (_name, value, growing) => {
    expect(grows(trendOf(at(180, value), 60))).toBe(growing);
  });

  test('two blocks are too few to say anything', () => {
    expect(
      grows(
        trendOf(
          at(12, (index) => index),
          60,
        ),
      ),
    ).toBe(false);
  });
});

const sample = (index: number, resident: number): Sample => ({
  seconds: index * 10,
  writes: index,
  resident,
  anonymous: 1e8,
  heap: 5e7,
  file: 2e7,
  handles: 30,
  nodeHandles: 9,
  longRunning: 40,
  seats: 3,
});

test('a report names what grows in the second half, and nothing else', () => {
  const steady = Array.from({ length: 360 }, (_, index) => sample(index, index < 180 ? index * 1e6 : 2e8));
  expect(reportOf(steady, undefined).growing).toEqual([]);
  const leaking = steady.map((each, index) => ({ ...each, resident: 2e8 + index * 1e5 }));
  const { text, growing } = reportOf(leaking, sample(361, 2e8));
  expect(growing).toEqual(['resident memory']);
  expect(text).toContain(
    '| resident memory | 200 MB | 218 MB | 236 MB | 200 MB | +36.0 MB | 0.0 MB | GROWS |',
  );
});

test('the rate is told for each quarter', () => {
  const samples = Array.from({ length: 9 }, (_, index) => ({
    ...sample(index, 1e8),
    writes: index < 4 ? index * 1000 : 4000 + (index - 4) * 2000,
  }));
  expect(ratesOf(samples)).toEqual([100, 100, 200, 200]);
  expect(ratesOf([])).toEqual([0, 0, 0, 0]);
});

test('a chart of the same samples is the same text, and ends its axes at round numbers', () => {
  const samples = [sample(0, 1e8), sample(6, 3.4e8)];
  const text = chartOf(samples);
  expect(text).toBe(chartOf(samples));
  expect(text).toContain('>400</text>');
  expect(text).toContain('<polyline points="64.0,74.5 570.0,32.5"');
  expect(text).not.toMatch(/NaN|Infinity|undefined/);
});

test('a metric is the sum over its labels', () => {
  const text = 'open{verb="WATCH"} 3\nopen{verb="LIST"} 4\nopen_total 9\nplain 2.5\n';
  expect([metric(text, 'open'), metric(text, 'plain'), metric(text, 'absent')]).toEqual([7, 2.5, 0]);
  expect(kilobytes('VmRSS:\t  12 kB\nRssAnon:\t   3 kB\n', 'RssAnon')).toBe(3072);
});
