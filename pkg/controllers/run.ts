/** Starts and stops controllers. */
import type {
  BlockingObject,
  ClientFor,
  EventHandler,
  Controller,
  ControllerLog,
  ControllerMetric,
  Reconciler,
  ResourceClient,
} from './interface.js';
import { createWorkQueue, type QueueCounts, type WorkQueue } from './workqueue.js';
import { messageOf } from '../apimachinery/caught.js';

interface RunOptions {
  readonly clientFor: ClientFor;
  readonly log: ControllerLog;
}

/** Running controllers. */
export interface RunningControllers {
  queues(): Iterable<QueueCounts>;
  metrics(): Iterable<ControllerMetric>;
  /** The state of the controller of this name; undefined when it does not run or has none. */
  describe(this: void, name: string, format: 'json' | 'dot'): Iterable<string> | undefined;
  /** The objects that block the deletion of an owner, as far as a controller here knows. */
  blocking(this: void, owner: string): Iterable<BlockingObject>;
  /** Resolves when nothing is in flight any more. */
  stop(): Promise<void>;
}

interface Running {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconciler: Reconciler;
  cancel(): void;
}

/** `settings`: what the controllers need besides their clients. */
export function runControllers<Settings extends object>(
  loops: readonly Controller<Settings>[],
  options: RunOptions,
  settings: Settings,
): RunningControllers {
  const running = loops.map((loop) => runController(loop, options, settings));
  return {
    queues: () => running.map(({ queue }) => queue.counts),
    metrics: () => running.flatMap(({ reconciler }) => reconciler.metrics ?? []),
    describe: (name, format) => running.find((one) => one.name === name)?.reconciler.describe?.(format),
    blocking: (owner) => running.flatMap(({ reconciler }) => [...(reconciler.blocking?.(owner) ?? [])]),
    async stop() {
      for (const { cancel } of running) cancel();
      await Promise.all(running.map(({ queue }) => queue.stop()));
    },
  };
}

function runController<Settings extends object>(
  loop: Controller<Settings>,
  { clientFor, log }: RunOptions,
  settings: Settings,
): Running {
  const cancels: (() => void)[] = [];
  const started: { reconciler?: Reconciler } = {};
  const queue = createWorkQueue({
    name: loop.name,
    workers: loop.workers,
    ...(loop.clusterWorkers !== undefined && { clusterWorkers: loop.clusterWorkers }),
    // Keys that are added while the controller starts find their cluster before they are reconciled.
    clusterOf: (key) => started.reconciler?.clusterOf?.(key) ?? '',
    reconcile: (key) => reconciler.reconcile(key),
    failed: (key, error) =>
      log.warn({ controller: loop.name, key, reason: messageOf(error) }, 'to be tried again'),
  });
  const reconciler: Reconciler = loop.start({
    client: clientFor(loop.user),
    log,
    ...settings,
    enqueue: (key, afterMs) => queue.add(key, afterMs),
    follow: (resource: ResourceClient, follower: EventHandler) => {
      const { cancel } = resource.follow(follower);
      cancels.push(cancel);
    },
    now: Date.now,
    onStop: (end) => void cancels.push(end),
    every: (milliseconds, work) => {
      const timer = setInterval(work, milliseconds).unref();
      cancels.push(() => clearInterval(timer));
    },
  });
  started.reconciler = reconciler;
  return {
    name: loop.name,
    queue,
    reconciler,
    cancel: () => {
      for (const cancel of cancels) cancel();
    },
  };
}
