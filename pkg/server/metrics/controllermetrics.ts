/** Metrics of controllers, under the names of Kubernetes' work queues and under their own. */
import type { Registry } from 'prom-client';
import {
  exposeCounts,
  exposeGauges,
  exposeHistograms,
  type CountSeries,
  type HistogramSeries,
} from './series.js';

/** A queue of keys that wait to be reconciled. */
interface Queue {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
  readonly work: HistogramSeries;
}

interface OwnMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly series: () => Iterable<Readonly<CountSeries>>;
}

/** Asked when metrics are read; controllers may start and end in between. */
export interface ControllerSources {
  queues(this: void): Iterable<Queue>;
  metrics(this: void): Iterable<OwnMetric>;
  /** Undefined without leader election. */
  leadership(this: void): Leadership | undefined;
}

/** Whether this server runs the controllers, and the name of the Lease. */
export interface Leadership {
  readonly lease: string;
  readonly leads: boolean;
}

export function exposeQueues(registry: Registry, { queues }: ControllerSources): void {
  const series = (value: (queue: Queue) => number) => (): CountSeries[] =>
    Array.from(queues(), (queue) => ({ labels: { name: queue.name }, value: value(queue) }));
  const { depth, adds, retries } = {
    depth: series((queue) => queue.depth),
    adds: series((queue) => queue.adds),
    retries: series((queue) => queue.retries),
  };
  exposeGauges(registry, 'workqueue_depth', 'Keys that wait to be reconciled.', depth);
  exposeCounts(registry, 'workqueue_adds_total', 'Keys that were added to the queue.', adds);
  exposeCounts(registry, 'workqueue_retries_total', 'Keys that failed and come again.', retries);
  exposeHistograms(
    registry,
    'workqueue_work_duration_seconds',
    'Time that reconciling a key took, in seconds.',
    () => Array.from(queues(), ({ work }) => work),
  );
}

/** Under the name that Kubernetes' components have it. */
export function exposeLeadership(registry: Registry, { leadership }: ControllerSources): void {
  const help = 'Whether this server runs the controllers: 1, or 0.';
  exposeGauges(registry, 'leader_election_master_status', help, () => {
    const found = leadership();
    return found === undefined ? [] : [{ labels: { name: found.lease }, value: Number(found.leads) }];
  });
}

/** Adds new metrics: a controller may have started since the last call. */
export function exposeControllers(registry: Registry, { metrics }: ControllerSources): void {
  for (const { name, help, type } of metrics()) {
    if (registry.getSingleMetric(name) !== undefined) continue;
    const series = (): CountSeries[] =>
      Array.from(metrics()).flatMap((metric) => (metric.name === name ? [...metric.series()] : []));
    if (type === 'gauge') exposeGauges(registry, name, help, series);
    else exposeCounts(registry, name, help, series);
  }
}
