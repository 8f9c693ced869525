import type { CacheEvent, ResourceCache } from '../../cache/interface.js';

/** What has changed since a revision under `prefix`; undefined: that is not all known any more. */
export function eventsAfter(
  cache: ResourceCache,
  after: number,
  prefix: string,
): readonly CacheEvent[] | undefined {
  const found: CacheEvent[] = [];
  const subscription = cache.subscribe(
    { after, prefix },
    { events: (events) => void found.push(...events), progress: () => undefined, end: () => undefined },
  );
  if ('oldest' in subscription) return undefined;
  subscription.cancel();
  return found;
}
