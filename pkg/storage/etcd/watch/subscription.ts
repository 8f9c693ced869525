/** One watch of a consumer: what waits for it, within bounds, and how it ends. */
import { StorageError } from '../../interface.js';
import type { StorageEvent, StorageWatch, WatchBatch } from '../../interface.js';
import type { KeyedEvent } from './events.js';
import { inByteRange } from '../keyspace.js';
import type { ByteRange } from '../keyspace.js';

/** A consumer that lets more than this wait is cut off. */
export const MAX_WAITING_BYTES = 8 * 1024 * 1024;
export const MAX_WAITING_EVENTS = 20_000;
/** What an event takes besides its value. */
const EVENT_BYTES = 100;

export interface Subscription {
  readonly watch: StorageWatch;
  /** Adds what came up to `revision`; what is outside of the range, or has been delivered, is left out. */
  push(events: readonly KeyedEvent[], revision: number): void;
  /** Ends the watch: normally, or with an error once what waits has been read. */
  end(error?: StorageError): void;
  /** Resolves when at most half of the bound waits, or the watch has ended. For a source that can wait. */
  room(): Promise<void>;
  /** Everything up to this revision has been pushed. */
  reached(): number;
  ended(): boolean;
  /** Etcd has confirmed what feeds it. */
  stand(): void;
  /** Adds what is called once at the end. */
  onEnd(listener: () => void): void;
}

/**
 * @param range absent: one without keys.
 * @param standing called once, when the watch stands
 */
export function subscription(
  range: ByteRange | undefined,
  after: number,
  standing: () => void = () => undefined,
): Subscription {
  let events: StorageEvent[] = [];
  let bytes = 0;
  let reached = after;
  let delivered = after;
  let finished = false;
  let stood = false;
  let failure: StorageError | undefined;
  const listeners: (() => void)[] = [];
  let wakeReader: (() => void) | undefined;
  let wakeSource: (() => void) | undefined;

  function end(error?: StorageError): void {
    if (finished) return;
    finished = true;
    failure = error;
    if (error === undefined) events = [];
    for (const listener of listeners) listener();
    wakeReader?.();
    wakeSource?.();
  }

  function push(more: readonly KeyedEvent[], revision: number): void {
    if (finished || revision <= reached) return;
    for (const { bytes: key, event } of more) {
      if (range === undefined || event.revision <= reached || !inByteRange(range, key)) continue;
      const size = EVENT_BYTES + (event.value?.length ?? 0);
      if (events.length > 0 && (bytes + size > MAX_WAITING_BYTES || events.length >= MAX_WAITING_EVENTS)) {
        // What waits is dropped: half a revision must not be delivered as a whole one.
        events = [];
        return end(new StorageError({ code: 'compacted', revision: delivered, oldest: revision }));
      }
      events.push(event);
      bytes += size;
    }
    reached = revision;
    wakeReader?.();
  }

  async function next(): Promise<IteratorResult<WatchBatch, undefined>> {
    while (!finished && reached <= delivered) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    if (reached > delivered && (events.length > 0 || !finished)) {
      const batch = { events, revision: reached };
      [events, bytes, delivered] = [[], 0, reached];
      wakeSource?.();
      return { done: false, value: batch };
    }
    if (failure !== undefined) throw failure;
    return { done: true, value: undefined };
  }

  const iterator: AsyncIterator<WatchBatch, undefined> = {
    next,
    return: async () => {
      end();
      return { done: true, value: undefined };
    },
  };
  return {
    watch: { cancel: () => end(), [Symbol.asyncIterator]: () => iterator },
    push,
    end,
    room: async () => {
      while (!finished && bytes > MAX_WAITING_BYTES / 2) {
        await new Promise<void>((resolve) => {
          wakeSource = resolve;
        });
      }
    },
    reached: () => reached,
    ended: () => finished,
    stand: () => {
      if (stood || finished) return;
      stood = true;
      standing();
    },
    onEnd: (listener) => void listeners.push(listener),
  };
}
