/** Reads a watch step by step and checks on the way what every watch promises. */
import { expect } from '@jest/globals';
import type { StorageEvent, StorageWatch, WatchBatch } from '../../interface.js';

/** Turns a watch that hangs into a failure that says so; longer on slow machines (hack/slowness.mjs). */
const STEP_TIMEOUT_MS = 60_000 * Number(process.env.TEST_SLOWNESS ?? '1');

export interface WatchReader {
  /** The next batch, or undefined at the normal end. Rejects as the watch does. */
  next(): Promise<WatchBatch | undefined>;
  /** Reads on until `count` more events have come, and answers them; more than `count` is a failure. */
  take(count: number): Promise<StorageEvent[]>;
  /** Reads on until everything up to `revision` has come, and answers the events of the way. */
  until(revision: number): Promise<StorageEvent[]>;
  /** What the consumer's `break` does. */
  leave(): Promise<void>;
}

/** @param after the revision after which the watch was asked to deliver, if it was. */
export function readWatch(watch: StorageWatch, after = 0): WatchReader {
  const iterator = watch[Symbol.asyncIterator]();
  let reached = 0;
  let last = after;

  async function next(): Promise<WatchBatch | undefined> {
    const step = await withinTime(iterator.next());
    if (step.done === true) return undefined;
    const batch = step.value;
    for (const event of batch.events) {
      expect(event.revision).toBeGreaterThan(last);
      expect(event.revision).toBeGreaterThan(reached);
      last = event.revision;
    }
    expect(batch.revision).toBeGreaterThanOrEqual(Math.max(last, reached));
    reached = batch.revision;
    return batch;
  }

  async function collect(enough: (events: readonly StorageEvent[]) => boolean): Promise<StorageEvent[]> {
    const events: StorageEvent[] = [];
    while (!enough(events)) {
      const batch = await next();
      if (batch === undefined) throw new Error(`the watch ended after ${events.length} events`);
      events.push(...batch.events);
    }
    return events;
  }

  return {
    next,
    take: async (count) => {
      const events = await collect((sofar) => sofar.length >= count);
      expect(events).toHaveLength(count);
      return events;
    },
    until: (revision) => collect(() => reached >= revision),
    leave: async () => {
      await iterator.return?.();
    },
  };
}

/** An event as `key=value` or `key deleted`, with a stop where its commit ends. */
export function eventText(event: StorageEvent): string {
  const what = event.value === undefined ? `${event.key} deleted` : `${event.key}=${event.value.toString()}`;
  return event.commitEnd ? `${what}.` : what;
}

export async function withinTime<T>(step: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the watch did not go on')), STEP_TIMEOUT_MS);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}
