/**
 * Delivers a resource's events to subscribers, indexed by prefix: the cost of an event depends on its matches, not on
 * all subscribers.
 */
import type { CacheEvent, Entry, Subscriber, Subscription } from '../interface.js';

interface Listener {
  readonly subscriber: Subscriber;
  readonly prefix: string;
  readonly after: number;
}

export class Broadcaster {
  private byPrefix = new Map<string, Set<Listener>>();
  private count = 0;

  /** @param failed called with what a subscriber threw; it has been ended. */
  constructor(private readonly failed: (error: unknown) => void) {}

  get size(): number {
    return this.count;
  }

  /**
   * @param prefix `''`, `namespace/`, or a whole path.
   * @param after only later events.
   */
  add(prefix: string, after: number, subscriber: Subscriber): Subscription {
    const listener: Listener = { subscriber, prefix, after };
    const listeners = this.byPrefix.get(prefix);
    if (listeners === undefined) this.byPrefix.set(prefix, new Set([listener]));
    else listeners.add(listener);
    this.count += 1;
    return { cancel: () => this.remove(listener) };
  }

  /** Calls each subscriber with its events of a batch; `revision` is the batch's. */
  deliver(events: readonly CacheEvent[], revision: number): void {
    if (this.count === 0) return;
    for (const [prefix, group] of groupByPrefix(events, this.byPrefix))
      this.deliverTo(prefix, group, revision);
  }

  progress(revision: number): void {
    for (const listeners of this.byPrefix.values()) {
      for (const listener of listeners) {
        if (listener.after < revision) this.call(listener, (subscriber) => subscriber.progress(revision));
      }
    }
  }

  /** Ends and forgets all. */
  end(): void {
    const ended = this.byPrefix;
    this.byPrefix = new Map();
    this.count = 0;
    for (const listeners of ended.values()) {
      for (const listener of listeners) endOne(listener.subscriber, this.failed);
    }
  }

  private deliverTo(prefix: string, events: readonly CacheEvent[], revision: number): void {
    const listeners = this.byPrefix.get(prefix);
    if (listeners === undefined) return;
    const first = events[0]?.revision ?? 0;
    for (const listener of listeners) {
      // Subscribers that join during the delivery have `after` at this revision or later.
      if (listener.after >= revision) continue;
      const wanted =
        listener.after < first ? events : events.filter((event) => event.revision > listener.after);
      if (wanted.length > 0) this.call(listener, (subscriber) => subscriber.events(wanted));
    }
  }

  private call(listener: Listener, action: (subscriber: Subscriber) => void): void {
    try {
      action(listener.subscriber);
    } catch (error) {
      this.remove(listener);
      this.failed(error);
      endOne(listener.subscriber, this.failed);
    }
  }

  private remove(listener: Listener): void {
    const listeners = this.byPrefix.get(listener.prefix);
    if (listeners?.delete(listener) !== true) return;
    this.count -= 1;
    if (listeners.size === 0) this.byPrefix.delete(listener.prefix);
  }
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
