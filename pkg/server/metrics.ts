import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

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
  /** For further metrics of the server's parts. */
  readonly registry: Registry;
}

/** Upper bounds in seconds, those of kube-apiserver. */
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Upper bounds in bytes, those of kube-apiserver. */
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

const RESOURCE_LABELS = [
  'verb',
  'group',
  'version',
  'resource',
  'subresource',
  'scope',
  'component',
] as const;

/**
 * A registry of its own, so that several servers of one process do not share counts. `openWatches` is asked when
 * metrics are read.
 */
export function createMetrics(openWatches: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  gauge(registry, 'apiserver_longrunning_requests', 'Watches open now.', openWatches);
  return {
    registry,
    recordRequest: requestMetrics(registry),
    watchEvents: watchMetrics(registry),
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => number): Gauge {
  return new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}

function requestMetrics(registry: Registry): Metrics['recordRequest'] {
  const registers = [registry];
  const total = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests answered.',
    labelNames: [...RESOURCE_LABELS, 'dry_run', 'code'],
    registers,
  });
  const duration = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time from the request to the end of its answer, in seconds; watches not counted.',
    labelNames: [...RESOURCE_LABELS, 'dry_run'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const sizes = new Histogram({
    name: 'apiserver_response_sizes',
    help: 'Size of the bodies of answers to reads, in bytes.',
    labelNames: [...RESOURCE_LABELS],
    buckets: SIZE_BUCKETS,
    registers,
  });
  return (record) => {
    const { verb, group, version, resource, subresource, scope } = record;
    const labels = { verb, group, version, resource, subresource, scope, component: 'apiserver' };
    total.inc({ ...labels, dry_run: record.dryRun, code: String(record.code) });
    if (verb === 'WATCH') return;
    duration.observe({ ...labels, dry_run: record.dryRun }, record.seconds);
    if (record.bytes !== undefined && (verb === 'GET' || verb === 'LIST'))
      sizes.observe(labels, record.bytes);
  };
}

function watchMetrics(registry: Registry): Metrics['watchEvents'] {
  const labelNames = ['group', 'version', 'resource'];
  const registers = [registry];
  const events = new Counter({
    name: 'apiserver_watch_events_total',
    help: 'Events sent to watchers.',
    labelNames,
    registers,
  });
  const bytes = new Counter({
    name: 'apiserver_watch_events_bytes_total',
    help: 'Bytes of events sent to watchers.',
    labelNames,
    registers,
  });
  return (group, version, resource, count, size) => {
    const labels = { group, version, resource };
    events.inc(labels, count);
    bytes.inc(labels, size);
  };
}
