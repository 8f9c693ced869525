import type { MetricObject, Registry } from 'prom-client';
import type { Activity } from '../activity.js';
import { exposeAudit, type AuditCounts } from './auditmetrics.js';
import type { SlotCounts } from '../filters/flowcontrol/flowcontrol.js';
import { exposeSlots } from './slotmetrics.js';
import { openMetrics, prefersOpenMetrics } from './openmetrics.js';
import { exposeReviews, type ReviewSources } from './reviewmetrics.js';
import {
  countSeries,
  durationSeries,
  exposeCounts,
  exposeGauges,
  exposeHistograms,
  observe,
  sizeSeries,
  type CountSeries,
  type HistogramSeries,
} from './series.js';
import {
  exposeControllers,
  exposeLeadership,
  exposeQueues,
  type ControllerSources,
} from './controllermetrics.js';
import type { SpanCounts } from '../../tracing/interface.js';
import { exposeTracing } from './tracingmetrics.js';
import { exposeOwnMemory } from './memorymetrics.js';
import {
  exposeCertificate,
  exposeKeySecret,
  exposeLastBackup,
  exposeStore,
  type KeySecretSource,
  type StoreSource,
} from './storemetrics.js';
import { type EtcdSpaceSource, exposeEtcdSpace } from './etcdmetrics.js';
import type { SentEvents, WatchRegistry } from '../watch/watchregistry.js';

/** One answered request as the `apiserver_request_*` metrics count it. */
export interface RequestRecord {
  /** Upper case, telling LIST, WATCH and APPLY apart: `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, `DELETECOLLECTION`. */
  readonly verb: string;
  /** `All`, or `''`. */
  readonly dryRun: string;
  /** Empty, as the next four, for non-resource paths. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: '' | 'cluster' | 'namespace' | 'resource';
  /** HTTP status code. */
  readonly code: number;
  readonly seconds: number;
  /** The id of its trace, if that is exported. */
  readonly traceId?: string | undefined;
  /** Size of the response body, if known. */
  readonly bytes?: number;
}

/** Receives events of the server's stages. Cheap enough for every request; never throws. */
export interface Metrics {
  recordRequest(record: RequestRecord): void;
  /**
   * All metrics in the text format of Prometheus, or, if requests are traced and `accept` prefers it, in that of
   * OpenMetrics, with exemplars.
   */
  read(accept?: string): Promise<{ readonly contentType: string; readonly text: string }>;
  /** Whether they have exemplars. */
  readonly traced: boolean;
  /** The same in the format from which `prom-client` aggregates several processes. */
  collect(): Promise<MetricObject[]>;
}

/** A part of the metrics that shows its counts in a registry. */
interface Shown<Count> {
  readonly record: Count;
  expose(registry: Registry): void;
}

/** Sources that are called when metrics are read. */
export interface MetricSources {
  readonly watches: Pick<WatchRegistry, 'size' | 'sent'>;
  readonly activity: Activity;
  /** Absent: not exposed. */
  readonly slots?: () => SlotCounts;
  /** Absent: nothing is recorded. */
  readonly audit?: AuditCounts | undefined;
  /** Absent: none run. */
  readonly controllers?: ControllerSources;
  /** Whether the store is reachable now; absent: not exposed. */
  readonly store?: StoreSource;
  /** Absent: there are no TokenReviews and SubjectAccessReviews. */
  readonly reviews?: ReviewSources | undefined;
  /** PEM of the serving certificate, once it exists; absent: its expiry is not exposed. */
  readonly certificate?: () => string | undefined;
  /** The time of the last backup, in seconds since 1970; undefined: unknown. Absent: not exposed. */
  readonly lastBackup?: () => number | undefined;
  /** Of the Secret with the keys of the store; absent: there is none. */
  readonly keySecret?: KeySecretSource | undefined;
  /** How full etcd is; absent: not exposed. */
  readonly etcdSpace?: EtcdSpaceSource;
  /** Of the spans of traced requests; absent: none are traced. */
  readonly spans?: (() => SpanCounts) | undefined;
}

const NO_CONTROLLERS: ControllerSources = {
  queues: () => [],
  metrics: () => [],
  leadership: () => undefined,
};

/**
 * Uses a separate registry, so that several servers of one process do not share counts. The default metrics of
 * `prom-client` (event loop, garbage collection) start with the first reading, which loads it.
 */
export function createMetrics({
  watches,
  activity,
  slots,
  audit,
  controllers = NO_CONTROLLERS,
  reviews,
  spans,
  ...stored
}: MetricSources): Metrics {
  const requests = requestMetrics();
  let loading: Promise<Registry> | undefined;
  const load = async (): Promise<Registry> => {
    const { collectDefaultMetrics, Gauge, Registry } = await import('prom-client');
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    exposeOwnMemory(registry);
    new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches open now.',
      registers: [registry],
      collect() {
        this.set(watches.size);
      },
    });
    requests.expose(registry);
    exposeActivity(registry, activity);
    if (slots !== undefined) exposeSlots(registry, slots);
    if (audit !== undefined) exposeAudit(registry, audit);
    if (reviews !== undefined) exposeReviews(registry, reviews);
    exposeWatchEvents(registry, watches);
    exposeQueues(registry, controllers);
    exposeLeadership(registry, controllers);
    exposeStored(registry, stored);
    if (spans !== undefined) exposeTracing(registry, spans);
    return registry;
  };
  const current = async (): Promise<Registry> => {
    const registry = await (loading ??= load());
    exposeControllers(registry, controllers);
    return registry;
  };
  return {
    recordRequest: requests.record,
    collect: async () => (await current()).getMetricsAsJSON(),
    traced: spans !== undefined,
    async read(accept = '') {
      const registry = await current();
      if (spans !== undefined && prefersOpenMetrics(accept))
        return openMetrics(await registry.getMetricsAsJSON());
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
}

type StoredSources = Pick<MetricSources, 'store' | 'certificate' | 'lastBackup' | 'keySecret' | 'etcdSpace'>;

/** What is of the store, and kept beside it. */
function exposeStored(
  registry: Registry,
  { store, certificate, lastBackup, keySecret, etcdSpace }: StoredSources,
): void {
  if (store !== undefined) exposeStore(registry, store);
  if (certificate !== undefined) exposeCertificate(registry, certificate);
  if (lastBackup !== undefined) exposeLastBackup(registry, lastBackup);
  if (keySecret !== undefined) exposeKeySecret(registry, keySecret);
  if (etcdSpace !== undefined) exposeEtcdSpace(registry, etcdSpace);
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
    observe(series.duration, record.seconds, record.traceId);
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

function exposeWatchEvents(registry: Registry, watches: MetricSources['watches']): void {
  const series = (value: (one: SentEvents) => number) => (): CountSeries[] =>
    Array.from(watches.sent(), (one) => {
      const { group, version, plural: resource } = one.definition;
      return { labels: { group, version, resource }, value: value(one) };
    });
  exposeCounts(
    registry,
    'apiserver_watch_events_total',
    'Events sent to watchers.',
    series(({ events }) => events),
  );
  exposeCounts(
    registry,
    'apiserver_watch_events_bytes_total',
    'Bytes of events sent to watchers.',
    series(({ bytes }) => bytes),
  );
}

function exposeActivity(registry: Registry, activity: Activity): void {
  const series = (label: string, counts: Readonly<Record<string, number>>) => (): CountSeries[] =>
    Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));
  const { inFlight, authentication, authorization, dropped } = activity;
  exposeGauges(
    registry,
    'apiserver_current_inflight_requests',
    'Requests under way now, without watches.',
    series('request_kind', inFlight),
  );
  exposeCounts(
    registry,
    'authentication_attempts',
    'Requests by what came of their credentials.',
    series('result', authentication),
  );
  exposeCounts(
    registry,
    'authorization_attempts_total',
    'Requests by whether they were permitted.',
    series('result', authorization),
  );
  exposeCounts(
    registry,
    'apiserver_dropped_requests_total',
    'Requests turned away because too much was under way.',
    series('request_kind', dropped),
  );
}
