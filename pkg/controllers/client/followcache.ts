import { CacheUnavailable, type ResourceCache } from '../../cache/interface.js';
import type { EventHandler } from '../interface.js';

/** The delay before a subscription that ended is retried. */
const AGAIN_MS = 100;

/** Subscribes again whenever the cache ends the subscription. */
export function followCache(cache: ResourceCache, follower: EventHandler): { cancel(): void } {
  let cancelled = false;
  let cancel = (): void => undefined;
  const later = (): void => {
    const timer = setTimeout(begin, AGAIN_MS).unref();
    cancel = () => clearTimeout(timer);
  };
  const begin = (): void => {
    if (cancelled) return;
    try {
      const after = cache.latest().revision;
      const subscription = cache.subscribe(
        { after, prefix: '' },
        {
          events(events) {
            for (const { entry, previous, deleted } of events) {
              if (cancelled) return;
              if (deleted) follower.deleted(entry);
              else if (entry.derived !== true) follower.changed(entry, previous);
            }
          },
          progress: () => undefined,
          end: later,
        },
      );
      if ('oldest' in subscription) return later();
      cancel = () => subscription.cancel();
      follower.replaced();
    } catch (error) {
      if (!(error instanceof CacheUnavailable)) throw error;
      later();
    }
  };
  begin();
  return {
    cancel() {
      cancelled = true;
      cancel();
    },
  };
}
