/** The watch of one consumer, with a bounded buffer. */
import { StorageError, type StorageEvent, type StorageWatch, type WatchBatch } from '../../interface.js';
import type { KeyedEvent } from './events.js';
import { inByteRange, type ByteRange } from '../keyspace.js';

/** A watch ends when its consumer leaves more than this unread. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const MAX_WAITING_EVENTS = 20_000;
/** The memory of an event besides its value. */
const EVENT_BYTES = 100;

export class Subscription {
  readonly watch: StorageWatch;
  private events: StorageEvent[] = [];
  private bytes = 0;
  private revision: number;
  private delivered: number;
  private finished = false;
  private stood = false;
  private failure: StorageError | undefined = undefined;
  private readonly listeners: (() => void)[] = [];
  private wakeReader: (() => void) | undefined = undefined;
  private wakeSource: (() => void) | undefined = undefined;

  /**
   * @param range absent: a range without keys
   * @param standing called once, when the watch is confirmed
   */
  constructor(
    private readonly range: ByteRange | undefined,
    after: number,
    private readonly standing: () => void = () => undefined,
  ) {
    this.revision = after;
    this.delivered = after;
    const iterator = this.iterator();
    this.watch = { cancel: () => this.end(), [Symbol.asyncIterator]: () => iterator };
  }

  /** Adds events up to `revision`, without those outside of the range and those delivered before. */
  push(more: readonly KeyedEvent[], revision: number): void {
    const { range, revision: pushed } = this;
    if (this.finished || revision <= pushed) return;
    for (const { bytes: key, event } of more) {
      if (range === undefined || event.revision <= pushed || !inByteRange(range, key)) continue;
      const size = EVENT_BYTES + (event.value?.length ?? 0);
      if (this.events.length > 0 && this.isFullWith(size)) {
        // The buffer is dropped: an incomplete revision must not be delivered as a complete one.
        this.events = [];
        this.end(new StorageError({ code: 'compacted', revision: this.delivered, oldest: revision }));
        return;
      }
      this.events.push(event);
      this.bytes += size;
    }
    this.revision = revision;
    this.wakeReader?.();
  }

  /** Ends the watch: normally, or with an error after the buffer was read. */
  end(error?: StorageError): void {
    if (this.finished) return;
    this.finished = true;
    this.failure = error;
    if (error === undefined) this.events = [];
    for (const listener of this.listeners) listener();
    this.wakeReader?.();
    this.wakeSource?.();
  }

  /** Resolves when the buffer is at most half full, or the watch has ended. For a source that can wait. */
  async room(): Promise<void> {
    while (!this.finished && this.bytes > MAX_WAITING_BYTES / 2) {
      await new Promise<void>((resolve) => {
        this.wakeSource = resolve;
      });
    }
  }

  /** Everything up to this revision was pushed. */
  pushedRevision(): number {
    return this.revision;
  }

  ended(): boolean {
    return this.finished;
  }

  /** Notes that etcd has confirmed the source. */
  stand(): void {
    if (this.stood || this.finished) return;
    this.stood = true;
    this.standing();
  }

  /** Adds a listener for the end. */
  onEnd(listener: () => void): void {
    this.listeners.push(listener);
  }

  private isFullWith(size: number): boolean {
    return this.bytes + size > MAX_WAITING_BYTES || this.events.length >= MAX_WAITING_EVENTS;
  }

  private iterator(): AsyncIterator<WatchBatch, undefined> {
    return {
      next: () => this.next(),
      return: async () => {
        this.end();
        return { done: true, value: undefined };
      },
    };
  }

  private async next(): Promise<IteratorResult<WatchBatch, undefined>> {
    while (!this.finished && this.revision <= this.delivered) {
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
    }
    const { events, revision } = this;
    if (revision > this.delivered && (events.length > 0 || !this.finished)) {
      [this.events, this.bytes, this.delivered] = [[], 0, revision];
      this.wakeSource?.();
      return { done: false, value: { events, revision } };
    }
    if (this.failure !== undefined) throw this.failure;
    return { done: true, value: undefined };
  }
}
