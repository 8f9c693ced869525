import type { CacheEvent, ResourceCache } from '../../cache/interface.js';

/** The changes under `prefix` since a revision; undefined if they are no longer known. */
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
