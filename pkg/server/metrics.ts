import type { Registry } from 'prom-client';
import type { CountSeries, HistogramSeries } from './requestseries.js';
import {
  countSeries,
  durationSeries,
  exposeCounts,
  exposeHistograms,
  observe,
  sizeSeries,
} from './requestseries.js';

/** One answered request as the `apiserver_request_*` metrics count it. */
export interface RequestRecord {
  /** Upper case, telling LIST, WATCH and APPLY apart: `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, `DELETECOLLECTION`. */
  readonly verb: string;
  /** `All`, or `''`. */
  readonly dryRun: string;
  /** Empty, as the next four, for paths that are no resources. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'cluster' | 'namespace' | 'resource';
  /** HTTP status code. */
  readonly code: number;
  readonly seconds: number;
  /** Size of the answer's body, where it is known. */
  readonly bytes?: number;
}

/** Where the server's stages report. Cheap enough for every request; never throws. */
export interface Metrics {
  recordRequest(record: RequestRecord): void;
  /** `count` events of together `bytes` went to one watcher. */
  watchEvents(group: string, version: string, resource: string, count: number, bytes: number): void;
  /** All of them in the text format of Prometheus. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** A part of the metrics that shows its counts in a registry. */
interface Shown<Count> {
  readonly record: Count;
  expose(registry: Registry): void;
}

/**
 * A registry of its own, so that several servers of one process do not share counts. `openWatches` is asked when
 * metrics are read. What `prom-client` measures itself (event loop, garbage collection) begins with the first reading,
 * which loads it.
 */
export function createMetrics(openWatches: () => number): Metrics {
  const requests = requestMetrics();
  const watches = watchMetrics();
  let loading: Promise<Registry> | undefined;
  const load = async (): Promise<Registry> => {
    const { collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches open now.',
      registers: [registry],
      collect() {
        this.set(openWatches());
      },
    });
    requests.expose(registry);
    watches.expose(registry);
    return registry;
  };
  return {
    recordRequest: requests.record,
    watchEvents: watches.record,
    async read() {
      const registry = await (loading ??= load());
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

interface RequestSeries {
  readonly total: CountSeries;
  readonly duration: HistogramSeries;
  readonly sizes: HistogramSeries;
}

function requestMetrics(): Shown<Metrics['recordRequest']> {
  const byKey = new Map<string, RequestSeries>();
  const totals = new Map<string, CountSeries>();
  const durations = new Map<string, HistogramSeries>();
  const sizes = new Map<string, HistogramSeries>();

  function seriesOf(key: string, record: RequestRecord): RequestSeries {
    const { verb, group, version, resource, subresource, scope } = record;
    const labels = { verb, group, version, resource, subresource, scope, component: 'apiserver' };
    const withDryRun = { ...labels, dry_run: record.dryRun };
    const made = {
      total: once(totals, key, () => countSeries({ ...withDryRun, code: String(record.code) })),
      duration: once(durations, JSON.stringify(withDryRun), () => durationSeries(withDryRun)),
      sizes: once(sizes, JSON.stringify(labels), () => sizeSeries(labels)),
    };
    byKey.set(key, made);
    return made;
  }

  const count: Metrics['recordRequest'] = (record) => {
    const { verb, group, version, resource, subresource, scope, dryRun, code } = record;
    const key = `${verb} ${group}/${version}/${resource}/${subresource} ${scope} ${dryRun} ${code}`;
    const series = byKey.get(key) ?? seriesOf(key, record);
    series.total.value += 1;
    if (verb === 'WATCH') return;
    observe(series.duration, record.seconds);
    if (record.bytes !== undefined && (verb === 'GET' || verb === 'LIST'))
      observe(series.sizes, record.bytes);
  };
  const expose = (registry: Registry): void => {
    exposeCounts(registry, 'apiserver_request_total', 'Requests answered.', () => totals.values());
    exposeHistograms(
      registry,
      'apiserver_request_duration_seconds',
      'Time from the request to the end of its answer, in seconds; watches not counted.',
      () => durations.values(),
    );
    exposeHistograms(
      registry,
      'apiserver_response_sizes',
      'Size of the bodies of answers to reads, in bytes.',
      () => sizes.values(),
    );
  };
  return { record: count, expose };
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function watchMetrics(): Shown<Metrics['watchEvents']> {
  const events = new Map<string, CountSeries>();
  const bytes = new Map<string, CountSeries>();
  return {
    record(group, version, resource, count, size) {
      const key = `${group}/${version}/${resource}`;
      const make = () => countSeries({ group, version, resource });
      once(events, key, make).value += count;
      once(bytes, key, make).value += size;
    },
    expose(registry) {
      exposeCounts(registry, 'apiserver_watch_events_total', 'Events sent to watchers.', () =>
        events.values(),
      );
      exposeCounts(registry, 'apiserver_watch_events_bytes_total', 'Bytes of events sent to watchers.', () =>
        bytes.values(),
      );
    },
  };
}
