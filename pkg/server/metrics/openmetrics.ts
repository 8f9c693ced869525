/** Metrics in the format of OpenMetrics 1.0, which has exemplars: the traces of single requests. */
import type { OpenMetricsContentType } from 'prom-client';
import { parseAccept } from '../../apimachinery/mediatype.js';
import { type Exemplar, exposeRead, isRead, type Labels, type ReadMetric } from './series.js';

const TOTAL = '_total';

/** Whether a scraper prefers OpenMetrics (`Accept`); the first type that it names and this server has counts. */
export function prefersOpenMetrics(accept: string): boolean {
  const known = parseAccept(accept).find(
    ({ type, subtype }) =>
      (type === 'application' && subtype === 'openmetrics-text') || type === 'text' || type === '*',
  );
  return known?.type === 'application' && known.quality > 0;
}

/** `all`: as `prom-client` reads them. */
export async function openMetrics(
  all: readonly object[],
): Promise<{ readonly contentType: string; readonly text: string }> {
  const { Registry } = await import('prom-client');
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of all) if (isRead(metric)) exposeRead(registry, named(metric));
  return { contentType: registry.contentType, text: await registry.metrics() };
}

/**
 * Counters are named without `_total`, which their lines have. A counter without the suffix keeps its name, with
 * unknown type.
 */
function named(metric: ReadMetric): ReadMetric {
  if (metric.type !== 'counter') return metric;
  return metric.name.endsWith(TOTAL)
    ? { ...metric, name: metric.name.slice(0, -TOTAL.length) }
    : { ...metric, type: 'unknown' };
}

/** `sums`: of the metrics of several processes, which have lost their exemplars. Each gets the newest one of `all`. */
export function withExemplars(sums: readonly object[], all: readonly (readonly object[])[]): ReadMetric[] {
  const newest = new Map<string, Exemplar>();
  for (const metric of all.flat()) {
    if (!isRead(metric)) continue;
    for (const { metricName = '', labels, exemplar } of metric.values) {
      const key = keyOf(metricName, labels);
      if (exemplar !== undefined && exemplar.timestamp >= (newest.get(key)?.timestamp ?? 0))
        newest.set(key, exemplar);
    }
  }
  return sums.filter(isRead).map((metric) => {
    const values = metric.values.map((line) => {
      const exemplar = newest.get(keyOf(line.metricName ?? '', line.labels));
      return exemplar === undefined ? line : { ...line, exemplar };
    });
    return { ...metric, values };
  });
}

const keyOf = (name: string, labels: Labels): string =>
  `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
