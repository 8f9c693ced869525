/** Who hears of a resource's events, found by where an event lies: an event costs what matches, not what exists. */
import type { CacheEvent, Entry, Subscriber, Subscription } from '../interface.js';

export interface Subscribers {
  readonly size: number;
  /**
   * @param prefix `''`, `namespace/`, or a whole path.
   * @param after only later events.
   */
  add(prefix: string, after: number, subscriber: Subscriber): Subscription;
  /** Calls everyone whom the events of a batch concern; `revision` is the batch's. */
  deliver(events: readonly CacheEvent[], revision: number): void;
  progress(revision: number): void;
  /** Ends and forgets all. */
  end(): void;
}

interface Listener {
  readonly subscriber: Subscriber;
  readonly prefix: string;
  readonly after: number;
}

/** @param failed told of a subscriber that threw; it has been ended. */
export function createSubscribers(failed: (error: unknown) => void): Subscribers {
  let byPrefix = new Map<string, Set<Listener>>();
  let size = 0;

  function remove(listener: Listener): void {
    const listeners = byPrefix.get(listener.prefix);
    if (listeners?.delete(listener) !== true) return;
    size -= 1;
    if (listeners.size === 0) byPrefix.delete(listener.prefix);
  }

  function call(listener: Listener, action: (subscriber: Subscriber) => void): void {
    try {
      action(listener.subscriber);
    } catch (error) {
      remove(listener);
      failed(error);
      endOne(listener.subscriber, failed);
    }
  }

  function deliverTo(prefix: string, events: readonly CacheEvent[], revision: number): void {
    const listeners = byPrefix.get(prefix);
    if (listeners === undefined) return;
    const first = events[0]?.revision ?? 0;
    for (const listener of listeners) {
      // Who joins during the delivery has `after` at this revision or later.
      if (listener.after >= revision) continue;
      const wanted =
        listener.after < first ? events : events.filter((event) => event.revision > listener.after);
      if (wanted.length > 0) call(listener, (subscriber) => subscriber.events(wanted));
    }
  }

  return {
    get size() {
      return size;
    },
    add(prefix, after, subscriber) {
      const listener: Listener = { subscriber, prefix, after };
      const listeners = byPrefix.get(prefix);
      if (listeners === undefined) byPrefix.set(prefix, new Set([listener]));
      else listeners.add(listener);
      size += 1;
      return { cancel: () => remove(listener) };
    },
    deliver(events, revision) {
      if (size === 0) return;
      for (const [prefix, group] of groupByPrefix(events, byPrefix)) deliverTo(prefix, group, revision);
    },
    progress(revision) {
      for (const listeners of byPrefix.values()) {
        for (const listener of listeners) {
          if (listener.after < revision) call(listener, (subscriber) => subscriber.progress(revision));
        }
      }
    },
    end() {
      const ended = byPrefix;
      byPrefix = new Map();
      size = 0;
      for (const listeners of ended.values()) {
        for (const listener of listeners) endOne(listener.subscriber, failed);
      }
    },
  };
}

/** Whether an event of this object lies under a subscription's prefix. */
export function liesUnder(entry: Pick<Entry, 'path'>, prefix: string): boolean {
  return prefix === '' || entry.path === prefix || (prefix.endsWith('/') && entry.path.startsWith(prefix));
}

function groupByPrefix(
  events: readonly CacheEvent[],
  listened: ReadonlyMap<string, unknown>,
): Map<string, readonly CacheEvent[]> {
  const groups = new Map<string, CacheEvent[]>();
  const add = (prefix: string, event: CacheEvent): void => {
    if (!listened.has(prefix)) return;
    const group = groups.get(prefix);
    if (group === undefined) groups.set(prefix, [event]);
    else group.push(event);
  };
  for (const event of events) {
    const { path } = event.entry;
    const slash = path.indexOf('/');
    if (slash >= 0) add(path.slice(0, slash + 1), event);
    add(path, event);
  }
  return listened.has('') ? new Map<string, readonly CacheEvent[]>([['', events], ...groups]) : groups;
}

function endOne(subscriber: Subscriber, failed: (error: unknown) => void): void {
  try {
    subscriber.end();
  } catch (error) {
    failed(error);
  }
}
