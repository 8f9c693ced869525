import { createBackoff, type Backoff } from './backoff.js';
import { soon } from '../apimachinery/eventloop/turns.js';

/** Counts of one queue, read with the metrics. */
export interface QueueCounts {
  readonly name: string;
  readonly depth: number;
  readonly adds: number;
  readonly retries: number;
  /** Durations of reconciliation, in seconds. */
  readonly work: DurationCounts;
}

interface DurationCounts {
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds in seconds. */
  readonly bounds: readonly number[];
  /** The counts of each single bucket; the last one is above all bounds. */
  readonly counts: number[];
  sum: number;
}

export interface WorkQueue {
  readonly counts: QueueCounts;
  add(key: string, afterMs?: number): void;
  /** Waits for keys in flight, and starts no others. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  readonly name: string;
  readonly workers: number;
  /**
   * The cluster that the reconciliation of a key contacts; `''`: none. Each cluster has workers and a back-off of its
   * own, so that one that is slow or fails delays no other. Absent: no key contacts one.
   */
  readonly clusterOf?: (key: string) => string;
  /** Workers of each cluster. By default as many as there are for keys without a cluster. */
  readonly clusterWorkers?: number;
  readonly reconcile: (key: string) => Promise<void>;
  readonly failed: (key: string, error: unknown) => void;
  /** Absent: each cluster has one, with increasing delays. */
  readonly backoff?: Backoff;
}

/** The keys of one cluster, or those without a cluster. */
interface Lane {
  readonly cluster: string;
  readonly workers: number;
  readonly waiting: Set<string>;
  readonly backoff: Backoff;
  inFlight: number;
}

/** The time after which the queue yields to the event loop. */
const SLICE_MS = 5;
/** The buckets of `workqueue_work_duration_seconds` in Kubernetes. */
const BOUNDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/**
 * Keys, each at most once, in the order of arrival, for each cluster. A key that is added while it is reconciled is reconciled
 * again afterwards. Failed keys are retried with back-off.
 */
export function createWorkQueue(options: QueueOptions): WorkQueue {
  return new Queue(options);
}

class Queue implements WorkQueue {
  private readonly lanes = new Map<string, Lane>();
  /** Lanes with a waiting key and a free worker. */
  private readonly startable = new Set<Lane>();
  private readonly waiting = new Map<string, Lane>();
  private readonly inFlight = new Set<string>();
  private readonly again = new Set<string>();
  private readonly delayed = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  private adds = 0;
  private retries = 0;
  private readonly work: DurationCounts;
  private scheduled = false;
  private stopped = false;
  private idle: (() => void) | undefined;

  constructor(private readonly options: QueueOptions) {
    const counts = Array<number>(BOUNDS.length + 1).fill(0);
    this.work = { labels: { name: options.name }, bounds: BOUNDS, counts, sum: 0 };
  }

  get counts(): QueueCounts {
    const { adds, retries, work, waiting, again } = this;
    return { name: this.options.name, depth: waiting.size + again.size, adds, retries, work };
  }

  add(key: string, afterMs = 0): void {
    if (this.stopped) return;
    if (afterMs > 0) return this.addLater(key, afterMs);
    if (this.inFlight.has(key)) {
      if (!this.again.has(key)) this.adds += 1;
      this.again.add(key);
      return;
    }
    if (this.waiting.has(key)) return;
    this.adds += 1;
    this.enqueue(key, this.laneOf(key));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const { timer } of this.delayed.values()) clearTimeout(timer);
    this.delayed.clear();
    this.waiting.clear();
    this.startable.clear();
    if (this.inFlight.size === 0) return;
    await new Promise<void>((resolve) => {
      this.idle = resolve;
    });
  }

  /** The earlier of two times applies. */
  private addLater(key: string, afterMs: number): void {
    const at = performance.now() + afterMs;
    const known = this.delayed.get(key);
    if (known !== undefined && known.at <= at) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      this.delayed.delete(key);
      this.add(key);
    }, afterMs).unref();
    this.delayed.set(key, { at, timer });
  }

  private laneOf(key: string): Lane {
    const { clusterOf, workers, clusterWorkers = workers } = this.options;
    const cluster = clusterOf?.(key) ?? '';
    const known = this.lanes.get(cluster);
    if (known !== undefined) return known;
    const { backoff = createBackoff() } = this.options;
    const limit = cluster === '' ? workers : clusterWorkers;
    const lane: Lane = { cluster, workers: limit, waiting: new Set(), backoff, inFlight: 0 };
    this.lanes.set(cluster, lane);
    return lane;
  }

  private enqueue(key: string, lane: Lane): void {
    this.waiting.set(key, lane);
    lane.waiting.add(key);
    this.settle(lane);
  }

  /** Starts keys of the lane if possible, and forgets one of a cluster without keys. */
  private settle(lane: Lane): void {
    if (lane.waiting.size > 0 && lane.inFlight < lane.workers) this.startable.add(lane);
    else this.startable.delete(lane);
    const isIdle = lane.waiting.size + lane.inFlight === 0 && lane.backoff.isEmpty !== false;
    if (isIdle && lane.cluster !== '') this.lanes.delete(lane.cluster);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled || this.stopped || this.startable.size === 0) return;
    this.scheduled = true;
    soon(() => this.startSome());
  }

  /** Clusters take turns: one that has started a key goes behind the others, also where a slice ends. */
  private startSome(): void {
    this.scheduled = false;
    const until = performance.now() + SLICE_MS;
    for (const lane of this.startable) {
      if (this.stopped) return;
      this.startable.delete(lane);
      this.startOne(lane);
      if (performance.now() > until) return this.schedule();
    }
  }

  private startOne(lane: Lane): void {
    const [key] = lane.waiting;
    if (key === undefined) return;
    this.waiting.delete(key);
    lane.waiting.delete(key);
    // Its cluster may be another one by now.
    const current = this.laneOf(key);
    if (current === lane) {
      this.inFlight.add(key);
      lane.inFlight += 1;
      void this.runOne(key, lane);
    } else this.enqueue(key, current);
    this.settle(lane);
  }

  private async runOne(key: string, lane: Lane): Promise<void> {
    const began = performance.now();
    try {
      await this.options.reconcile(key);
      lane.backoff.forget(key);
    } catch (error) {
      this.retries += 1;
      if (!this.stopped) this.addLater(key, lane.backoff.next(key));
      this.options.failed(key, error);
    }
    this.measure((performance.now() - began) / 1000);
    this.inFlight.delete(key);
    lane.inFlight -= 1;
    if (this.again.delete(key) && !this.stopped) this.enqueue(key, this.laneOf(key));
    if (this.stopped && this.inFlight.size === 0) this.idle?.();
    this.settle(lane);
  }

  private measure(seconds: number): void {
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = bucket < 0 ? BOUNDS.length : bucket;
    this.work.counts[at] = this.work.counts[at]! + 1;
    this.work.sum += seconds;
  }
}
