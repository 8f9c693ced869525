import type { Backoff } from './backoff.js';
import { createBackoff } from './backoff.js';
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

export interface DurationCounts {
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
  readonly reconcile: (key: string) => Promise<void>;
  readonly failed: (key: string, error: unknown) => void;
  readonly backoff?: Backoff;
}

/** The time after which the queue yields to the event loop. */
const SLICE_MS = 5;
/** The buckets of `workqueue_work_duration_seconds` in Kubernetes. */
const BOUNDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

/**
 * Keys, each at most once, in the order of arrival. A key that is added while it is reconciled is reconciled
 * again afterwards. Failed keys are retried with back-off.
 */
export function createWorkQueue(options: QueueOptions): WorkQueue {
  return new Queue(options);
}

class Queue implements WorkQueue {
  private readonly waiting = new Set<string>();
  private readonly inFlight = new Set<string>();
  private readonly again = new Set<string>();
  private readonly delayed = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  private readonly backoff: Backoff;
  private adds = 0;
  private retries = 0;
  private readonly work: DurationCounts;
  private scheduled = false;
  private stopped = false;
  private idle: (() => void) | undefined;

  constructor(private readonly options: QueueOptions) {
    this.backoff = options.backoff ?? createBackoff();
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
    this.waiting.add(key);
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const { timer } of this.delayed.values()) clearTimeout(timer);
    this.delayed.clear();
    this.waiting.clear();
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

  private schedule(): void {
    if (this.scheduled || this.stopped || this.waiting.size === 0) return;
    if (this.inFlight.size >= this.options.workers) return;
    this.scheduled = true;
    soon(() => this.startSome());
  }

  private startSome(): void {
    this.scheduled = false;
    const until = performance.now() + SLICE_MS;
    for (const key of this.waiting) {
      if (this.stopped || this.inFlight.size >= this.options.workers) return;
      this.waiting.delete(key);
      this.inFlight.add(key);
      void this.runOne(key);
      if (performance.now() > until) break;
    }
    this.schedule();
  }

  private async runOne(key: string): Promise<void> {
    const began = performance.now();
    try {
      await this.options.reconcile(key);
      this.backoff.forget(key);
    } catch (error) {
      this.retries += 1;
      if (!this.stopped) this.addLater(key, this.backoff.next(key));
      this.options.failed(key, error);
    }
    this.measure((performance.now() - began) / 1000);
    this.inFlight.delete(key);
    if (this.again.delete(key) && !this.stopped) this.waiting.add(key);
    if (this.stopped && this.inFlight.size === 0) this.idle?.();
    this.schedule();
  }

  private measure(seconds: number): void {
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    const at = bucket < 0 ? BOUNDS.length : bucket;
    this.work.counts[at] = this.work.counts[at]! + 1;
    this.work.sum += seconds;
  }
}
