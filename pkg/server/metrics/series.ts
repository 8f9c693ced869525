/** Counts of answered requests: plain numbers when a request is counted, given to the registry when it is read. */
import type { Metric, Registry } from 'prom-client';

/** Upper bounds in seconds, as in kube-apiserver. */
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Upper bounds in bytes, as in kube-apiserver. */
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

export type Labels = Readonly<Record<string, string>>;

/** A time series of a counter. */
export interface CountSeries {
  readonly labels: Labels;
  value: number;
}

/** A time series of a histogram. */
export interface HistogramSeries {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  /** The number of values in each bucket alone; the last is above all bounds. */
  readonly counts: number[];
  sum: number;
  /** By bucket: the newest value with a trace. Absent if there is none. */
  exemplars?: (Exemplar | undefined)[];
}

/** A value, and the trace that it belongs to. */
export interface Exemplar {
  readonly labelSet: { readonly trace_id: string };
  readonly value: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export const countSeries = (labels: Labels): CountSeries => ({ labels, value: 0 });
export const durationSeries = (labels: Labels): HistogramSeries => histogramSeries(labels, DURATION_BUCKETS);
export const sizeSeries = (labels: Labels): HistogramSeries => histogramSeries(labels, SIZE_BUCKETS);

/** `bounds`: upper ones, in order. */
export function histogramSeries(labels: Labels, bounds: readonly number[]): HistogramSeries {
  return { labels, bounds, counts: Array<number>(bounds.length + 1).fill(0), sum: 0 };
}

/** `traceId`: of the value's trace, if it is exported. */
export function observe(series: HistogramSeries, value: number, traceId?: string): void {
  const { bounds, counts } = series;
  let bucket = 0;
  while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
  counts[bucket] = counts[bucket]! + 1;
  series.sum += value;
  if (traceId === undefined) return;
  const exemplars = (series.exemplars ??= []);
  exemplars[bucket] = { labelSet: { trace_id: traceId }, value, timestamp: Date.now() / 1000 };
}

/** The aggregation of several processes. */
export type Aggregator = 'sum' | 'min' | 'max';

/** A line of a metric for one value. */
interface Line {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
  readonly exemplar?: Exemplar;
}

/** A counter with the values of `series` at the time of reading. */
export function exposeCounts(
  registry: Registry,
  name: string,
  help: string,
  series: () => Iterable<CountSeries>,
): void {
  expose(registry, { name, help, type: 'counter' }, () =>
    Array.from(series(), ({ labels, value }) => ({ labels, value })),
  );
}

/** A gauge with the values of `series` at the time of reading. */
export function exposeGauges(
  registry: Registry,
  name: string,
  help: string,
  series: () => Iterable<CountSeries>,
  aggregator: Aggregator = 'sum',
): void {
  const values = () => Array.from(series(), ({ labels, value }) => ({ labels, value }));
  expose(registry, { name, help, type: 'gauge', aggregator }, values);
}

/** A histogram with the values of `series` at the time of reading. */
export function exposeHistograms(
  registry: Registry,
  name: string,
  help: string,
  series: () => Iterable<HistogramSeries>,
): void {
  expose(registry, { name, help, type: 'histogram' }, () =>
    Array.from(series(), (one) => histogramLines(name, one)).flat(),
  );
}

function histogramLines(name: string, series: HistogramSeries): Line[] {
  const { labels, bounds, counts, sum, exemplars } = series;
  let count = 0;
  const buckets = counts.map((own, at): Line => {
    count += own;
    const exemplar = exemplars?.[at];
    return {
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bounds[at] ?? '+Inf') },
      value: count,
      ...(exemplar !== undefined && { exemplar }),
    };
  });
  if (count === 0) return [];
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator?: Aggregator;
}

/** A metric with its values at the time of reading. */
export interface ReadMetric extends Described {
  readonly values: readonly Line[];
}

/** Whether `prom-client` gives the values with a metric, which its type leaves out. */
export const isRead = (metric: object): metric is ReadMetric =>
  'values' in metric && Array.isArray(metric.values);

export const exposeRead = (registry: Pick<Registry, 'registerMetric'>, metric: ReadMetric): void =>
  expose(registry, metric, () => metric.values);

function expose(
  registry: Pick<Registry, 'registerMetric'>,
  described: Described,
  values: () => readonly Line[],
): void {
  const get = () => Promise.resolve({ aggregator: 'sum', ...described, values: values() });
  // A registry that is read asks its metrics for nothing else: no other member of `Metric` is needed.
  registry.registerMetric({ ...described, get } as unknown as Metric);
}
