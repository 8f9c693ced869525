import { expect, test } from '@jest/globals';
import { Counter, Registry } from 'prom-client';
import { openMetrics, prefersOpenMetrics, withExemplars } from './openmetrics.js';
import { countSeries, durationSeries, exposeCounts, exposeHistograms, observe } from './series.js';

const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

test.each([
  [PROMETHEUS, true],
  ['application/openmetrics-text', true],
  ['text/html, application/openmetrics-text;q=0.9', false],
  ['text/plain, application/openmetrics-text;q=0.5', false],
  ['application/openmetrics-text;q=0', false],
  ['application/json', false],
  ['*/*', false],
  ['', false],
])('a scraper with Accept %j gets OpenMetrics: %j', (accept, expected) => {
  expect(prefersOpenMetrics(accept)).toBe(expected);
});

/** A server that has served one request in each of two traces. */
function registryOf(traces: readonly string[]): Registry {
  const series = durationSeries({ verb: 'GET' });
  observe(series, 0.001);
  for (const trace of traces) observe(series, 0.3, trace);
  const count = countSeries({ result: 'success' });
  const registry = new Registry();
  exposeHistograms(registry, 'took_seconds', 'Time.', () => [series]);
  exposeCounts(registry, 'answered_total', 'Answers.', () => [count]);
  exposeCounts(registry, 'authentication_attempts', 'Attempts.', () => [count]);
  new Counter({ name: 'cpu_seconds_total', help: 'CPU.', registers: [registry] }).inc(2);
  return registry;
}

test('a bucket has the newest trace of its values, and names are those of the plain text', async () => {
  const registry = registryOf(['aa', 'bb']);
  const plain = await registry.metrics();
  const { contentType, text } = await openMetrics(await registry.getMetricsAsJSON());
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(text).toMatch(/^took_seconds_bucket\{verb="GET",le="0.4"\} 3 # \{trace_id="bb"\} 0.3 \d+(\.\d+)?$/m);
  expect(text.match(/ # /g)).toHaveLength(1);
  expect(text).toMatch(/\n# EOF\n$/);
  expect(text).not.toContain('\n\n');
  expect(text).toContain('# TYPE answered counter\n');
  expect(text).toContain('# TYPE authentication_attempts unknown\n');
  const samples = (all: string): string[] =>
    all
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.replace(/ # .*/, ''));
  expect(samples(text)).toEqual(samples(plain));
  // A later response in plain text is unchanged.
  expect(await registry.metrics()).toBe(plain);
});

test('sums of several processes keep the newest exemplar', async () => {
  const first = await registryOf(['aa']).getMetricsAsJSON();
  const second = await registryOf(['bb']).getMetricsAsJSON();
  const { text } = await openMetrics(withExemplars(first, [second, first]));
  expect(text).toMatch(/le="0.4"\} 2 # \{trace_id="(aa|bb)"\}/);
  const none = await openMetrics(withExemplars(await registryOf([]).getMetricsAsJSON(), []));
  expect(none.text).not.toContain(' # ');
});
