import {
  CacheUnavailable,
  type ResourceCache,
  type Snapshot,
  type Subscriber,
  type Subscription,
  type SubscribeOptions,
  type TooOld,
} from './interface.js';
import type { Epoch } from './store/epoch.js';
import { liesUnder, type Broadcaster } from './watch/broadcaster.js';
import type { Waiters } from './watch/waiters.js';

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

export interface ResourceCacheParts {
  readonly resource: string;
  readonly broadcaster: Broadcaster;
  readonly waiters: Waiters;
  /** The epoch that is served now; absent before the first load. */
  serving(): Epoch | undefined;
  /** Nothing is delivered any more. */
  ended(): boolean;
}

/** The cache of one resource for readers. A rebuild changes the epoch behind it. */
export function createResourceCache(parts: ResourceCacheParts): ResourceCache {
  const { resource, broadcaster, waiters } = parts;

  function serving(): Epoch {
    const epoch = parts.serving();
    if (epoch === undefined) throw new CacheUnavailable(`${resource} is not loaded yet`);
    return epoch;
  }

  const revision = (): number => parts.serving()?.revision() ?? 0;

  function latest(): Snapshot {
    const epoch = serving();
    return epoch.state(resource).latest(epoch.revision());
  }

  function at(wanted: number): Snapshot | undefined {
    const epoch = parts.serving();
    return epoch?.state(resource).at(wanted, epoch.revision());
  }

  function subscribe(options: SubscribeOptions, subscriber: Subscriber): Subscription | TooOld {
    const { after, prefix, repeats = false } = options;
    const state = serving().state(resource);
    if (after < state.floor()) return { oldest: state.floor() };
    const events = state.eventsAfter(repeats && state.hasSeveral(after) ? after - 1 : after);
    const past = events.filter((event) => liesUnder(event.entry, prefix));
    if (past.length > 0) subscriber.events(past);
    const subscription = broadcaster.add(prefix, Math.max(after, revision()), subscriber);
    if (parts.ended()) {
      subscription.cancel();
      subscriber.end();
    }
    return subscription;
  }

  return {
    resource,
    undecryptable: () => parts.serving()?.undecryptable(resource) ?? NONE,
    isDerived: (name) => parts.serving()?.derived.owns(resource, name) ?? false,
    shadowed: () => parts.serving()?.derived.shadowed(resource) ?? NONE,
    latest,
    at,
    revision,
    reach: (wanted, timeoutMs) =>
      wanted <= revision() ? Promise.resolve(true) : waiters.wait(wanted, timeoutMs),
    subscribe,
  };
}
