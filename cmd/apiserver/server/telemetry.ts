import { createSampler, type LeftOut, type Sampler } from '../../../pkg/audit/sampling.js';
import { AuditShares, hourlyShare } from '../../../pkg/audit/shares.js';
import type { AuditSink } from '../../../pkg/audit/sink.js';
import type { RunningControllers } from '../../../pkg/controllers/run.js';
import { createActivity, type Activity } from '../../../pkg/server/activity.js';
import { leftOutLine } from '../../../pkg/server/filters/auditsampling.js';
import type { Leadership } from '../../../pkg/server/metrics/controllermetrics.js';
import { flowControl, type FlowControl } from '../../../pkg/server/filters/flowcontrol/flowcontrol.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { createMetrics, type MetricSources, type Metrics } from '../../../pkg/server/metrics/metrics.js';
import { reportSparingly } from '../../../pkg/server/logging/ratelimitedlog.js';
import { SlowRequests } from '../../../pkg/server/debug/slowrequests.js';
import {
  type BlockCache,
  createBlockCache,
} from '../../../pkg/server/responsewriters/listgzip/blockcache.js';
import { WatchRegistry } from '../../../pkg/server/watch/watchregistry.js';
import { openAuditSink } from './auditing.js';
import type { ShutdownHooks } from './shutdownhooks.js';
import type { Config } from '../options/complete.js';
import { Newcomers } from '../../../pkg/server/listener/newcomers.js';
import type { EtcdSpace } from '../../../pkg/storage/etcd/space/status.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';

/** Metrics, logs and shutdown of a process, whatever answers its requests. */
export interface Operations {
  readonly config: Config;
  readonly log: Logger;
  readonly shutdownHooks: ShutdownHooks;
  /** Logs failures outside of requests. */
  readonly report: (problem: string, error: unknown) => void;
  readonly watches: WatchRegistry;
  readonly activity: Activity;
  readonly flow: FlowControl;
  readonly newcomers: Newcomers;
  /** The cache of compressed chunks of lists. */
  readonly blocks: BlockCache;
  readonly slowRequests: SlowRequests;
  /** Absent without an audit log. */
  readonly auditSink: AuditSink | undefined;
  readonly auditSampler: Sampler;
  readonly auditShares: AuditShares;
  readonly metrics: Metrics;
  /** Set once they have started. */
  readonly controllers: ControllersState;
  readonly state: ServerState;
  /** The URL of this server, once it listens. */
  readonly address: { url: string };
}

export interface ServerState {
  /** Whether `/readyz` fails, as the server shuts down or will. */
  stopping: boolean;
  /** Whether requests are refused, as the server shuts down. */
  refusing: boolean;
  /** PEM of the serving certificate, once the server listens. */
  certificate?: string;
  /** In seconds since 1970; undefined: no backup is known. */
  lastBackup?: number | undefined;
  /** Undefined: the state is not in etcd, or etcd has not been reached yet. */
  etcdSpace?: EtcdSpace;
}

/** The controllers of this process, which start after the request path. */
interface ControllersState {
  running(this: void): RunningControllers | undefined;
  leadership(this: void): Leadership | undefined;
}

/** The memory for compressed chunks of lists. */
const COMPRESSED_LISTS_BYTES = 32 * 1024 * 1024;

/** Logs failures outside of requests. */
export const openReport = (log: Logger): Operations['report'] =>
  reportSparingly((problem, error) => log.warn({ reason: inWords(error) }, problem));

/** `sources`: further metrics of a mode. */
export function openOperations(
  config: Config,
  log: Logger,
  shutdownHooks: ShutdownHooks,
  sources: Pick<MetricSources, 'store' | 'reviews' | 'keySecret'> = {},
  report: Operations['report'] = openReport(log),
): Operations {
  const controllers: ControllersState = { running: () => undefined, leadership: () => undefined };
  const watches = new WatchRegistry();
  const activity = createActivity();
  const newcomers = new Newcomers();
  const flow = flowControl(config.limits, undefined, newcomers);
  const auditSink = openAuditSink(config.audit, (error) => report('the audit log cannot be written', error));
  shutdownHooks.push(() => auditSink?.close());
  const tell = (left: LeftOut): void => auditSink?.write(leftOutLine(left));
  const auditSampler = createSampler(tell);
  const auditShares = new AuditShares(hourlyShare(config.audit), tell);
  const state: ServerState = { stopping: false, refusing: false };
  const own = createMetrics({
    watches,
    activity,
    slots: () => flow.counts(),
    audit: auditSink && {
      taken: () => auditSink.taken(),
      lost: () => auditSink.lost(),
      leftOut: () => ({ ...auditSampler.leftOut(), ...auditShares.leftOut() }),
    },
    controllers: controllerMetrics(controllers),
    certificate: () => state.certificate,
    lastBackup: () => state.lastBackup,
    etcdSpace: () => state.etcdSpace,
    spans: config.tracing?.counts,
    ...sources,
  });
  const metrics = config.sharedMetrics?.(own) ?? own;
  const address = { url: '' };
  const caches = { blocks: createBlockCache(COMPRESSED_LISTS_BYTES), slowRequests: new SlowRequests() };
  const counted = {
    watches,
    activity,
    flow,
    newcomers,
    ...caches,
    auditSink,
    auditSampler,
    auditShares,
    metrics,
  };
  return { config, log, shutdownHooks, report, ...counted, controllers, state, address };
}

/** Undefined while another server runs the controllers. */
function controllerMetrics(state: ControllersState): MetricSources['controllers'] {
  return {
    queues: () => state.running()?.queues() ?? [],
    metrics: () => state.running()?.metrics() ?? [],
    leadership: () => state.leadership(),
  };
}
