import type { StorageWatch, WatchBatch } from '../interface.js';

type Step = IteratorResult<WatchBatch, undefined>;
const END: Step = { done: true, value: undefined };

interface Consumer {
  readonly resolve: (step: Step) => void;
  readonly reject: (error: unknown) => void;
}

interface WatchListener {
  /** Called when the store has confirmed the watch. */
  readonly standing: (() => void) | undefined;
  /** Called when a consumer has taken a batch. */
  readonly taken: () => void;
  /** Called when the consumer has cancelled the watch. */
  readonly cancelled: () => void;
}

/** The consumer's end of a watch, which buffers the batches that the owner sends ahead. */
export class RemoteWatch implements StorageWatch {
  private readonly batches: WatchBatch[] = [];
  private readonly consumers: Consumer[] = [];
  private failure: unknown;
  private ended = false;

  constructor(private readonly listener: WatchListener) {}

  standing(): void {
    if (!this.ended) this.listener.standing?.();
  }

  give(batch: WatchBatch): void {
    if (this.ended) return;
    const consumer = this.consumers.shift();
    if (consumer === undefined) return void this.batches.push(batch);
    this.listener.taken();
    consumer.resolve({ done: false, value: batch });
  }

  /** Fails after the buffered batches were read. */
  fail(error: unknown): void {
    this.failure = error;
    const [first, ...others] = this.consumers.splice(0);
    if (first === undefined) return;
    this.ended = true;
    first.reject(error);
    for (const { resolve } of others) resolve(END);
  }

  /** Ends normally, and drops the buffer. */
  over(): this {
    this.ended = true;
    this.batches.length = 0;
    for (const { resolve } of this.consumers.splice(0)) resolve(END);
    return this;
  }

  cancel(): void {
    if (this.ended) return;
    this.over();
    this.listener.cancelled();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchBatch, undefined> {
    return {
      next: () => new Promise<Step>((resolve, reject) => this.next({ resolve, reject })),
      return: () => {
        this.cancel();
        return Promise.resolve(END);
      },
    };
  }

  private next(consumer: Consumer): void {
    const batch = this.ended ? undefined : this.batches.shift();
    if (batch !== undefined) {
      this.listener.taken();
      return consumer.resolve({ done: false, value: batch });
    }
    if (this.ended) return consumer.resolve(END);
    if (this.failure === undefined) return void this.consumers.push(consumer);
    this.ended = true;
    consumer.reject(this.failure);
  }
}
