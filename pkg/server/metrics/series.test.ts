import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { countSeries, durationSeries, exposeCounts, exposeHistograms, observe } from './series.js';

const seconds = fc.array(
  fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(0.005, 1, 60)),
  {
    minLength: 1,
  },
);

test('a histogram reads as one of prom-client does', async () => {
  await fc.assert(
    fc.asyncProperty(seconds, async (values) => {
      const series = durationSeries({ verb: 'GET', code: '2"0' });
      const ours = new Registry();
      exposeHistograms(ours, 'took_seconds', 'Time.', () => [series]);
      const theirs = new Registry();
      const histogram = new Histogram({
        name: 'took_seconds',
        help: 'Time.',
        labelNames: ['verb', 'code'],
        buckets: [...series.bounds],
        registers: [theirs],
      });
      for (const value of values) {
        observe(series, value);
        histogram.observe(series.labels, value);
      }
      expect(sortedLabels(await ours.metrics())).toEqual(sortedLabels(await theirs.metrics()));
    }),
    { numRuns: 30 },
  );
});

test('a counter reads as one of prom-client does', async () => {
  const series = countSeries({ a: 'x\ny', b: '' });
  series.value = 7;
  const ours = new Registry();
  exposeCounts(ours, 'n_total', 'How many.', () => [series]);
  const theirs = new Registry();
  new Counter({ name: 'n_total', help: 'How many.', labelNames: ['a', 'b'], registers: [theirs] }).inc(
    series.labels,
    7,
  );
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test('a series without values is not shown', async () => {
  const registry = new Registry();
  exposeHistograms(registry, 'took_seconds', 'Time.', () => [durationSeries({ verb: 'GET' })]);
  expect(await registry.metrics()).not.toContain('verb');
});

/** Lines with their labels sorted, as their order has no meaning. */
const sortedLabels = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`));
