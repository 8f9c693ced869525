/** Watches. A watch is a position that reads events when its consumer asks, so nothing is buffered for it. */
import {
  StorageError,
  type KeyRange,
  type StorageEvent,
  type StorageWatch,
  type WatchBatch,
} from '../interface.js';
import { inRange } from './keyorder.js';

/** The source of events of watches. */
export interface EventSource {
  /** The newest durable revision. */
  newest(): number;
  /** The oldest revision after which events are complete. */
  oldest(): number;
  /** Events after a revision, oldest first, up to {@link newest}. @throws StorageError `compacted` */
  after(revision: number): Iterable<StorageEvent>;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 1024 * 1024;

type Step = IteratorResult<WatchBatch, undefined>;
interface Waiter {
  readonly resolve: (step: Step) => void;
  readonly reject: (error: unknown) => void;
}

export interface OpenWatch extends StorageWatch {
  /** Delivers new durable events to waiting consumers. */
  wake(): void;
}

const END: Step = { done: true, value: undefined };

/** @param ended called once when the watch ends for any reason */
export function openWatch(
  source: EventSource,
  range: KeyRange,
  after: number,
  ended: (watch: OpenWatch) => void,
): OpenWatch {
  let position = after;
  let over = false;
  let failure: StorageError | undefined;
  const waiting: Waiter[] = [];
  if (after < source.oldest()) {
    failure = new StorageError({ code: 'compacted', revision: after, oldest: source.oldest() });
  }

  function end(): void {
    if (over) return;
    over = true;
    ended(watch);
    for (const waiter of waiting.splice(0)) waiter.resolve(END);
  }

  /** The next batch; undefined: there is nothing to deliver yet. */
  function take(): Step | undefined {
    if (over) return END;
    if (failure !== undefined) throw failure;
    if (source.newest() <= position) return undefined;
    const batch = collect(source, range, position);
    position = batch.revision;
    return { done: false, value: batch };
  }

  const iterator: AsyncIterator<WatchBatch, undefined> = {
    next: () =>
      new Promise<Step>((resolve, reject) => {
        waiting.push({ resolve, reject });
        watch.wake();
      }),
    return: () => {
      end();
      return Promise.resolve(END);
    },
  };
  const watch: OpenWatch = {
    cancel: end,
    wake: () => {
      while (waiting.length > 0) {
        let step: Step | undefined;
        try {
          step = take();
        } catch (error) {
          waiting.shift()?.reject(error);
          end();
          return;
        }
        if (step === undefined) return;
        waiting.shift()?.resolve(step);
      }
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return watch;
}

/** A batch of bounded size after `position`, ending with a complete commit. */
function collect(source: EventSource, range: KeyRange, position: number): WatchBatch {
  const events: StorageEvent[] = [];
  let [seen, bytes] = [0, 0];
  for (const event of source.after(position)) {
    seen += 1;
    bytes += event.value?.length ?? 0;
    if (inRange(event.key, range)) events.push(event);
    if (event.commitEnd && (seen >= MAX_EVENTS || bytes >= MAX_BYTES))
      return { events, revision: event.revision };
  }
  return { events, revision: source.newest() };
}
