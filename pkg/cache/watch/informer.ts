/** Passes on every change of a cache in the turn in which it arrives. */
import type { CacheEvent, ResourceCache } from '../interface.js';

/**
 * Returns a function that starts the subscription: call it before relying on state derived from the cache. It calls
 * `rebuilt` when it starts, or starts again after a rebuild of the cache, and throws `CacheUnavailable` while the
 * cache is not loaded. `ended` is called when it must be called again; until then further calls do nothing.
 */
export function onChanges(
  cache: ResourceCache,
  changed: (events: readonly CacheEvent[]) => void,
  rebuilt: () => void,
  ended: () => void = () => undefined,
): () => void {
  let following = false;
  return () => {
    if (following) return;
    rebuilt();
    const { revision } = cache.latest();
    const subscription = cache.subscribe(
      { after: revision, prefix: '' },
      {
        events: changed,
        progress: () => undefined,
        end() {
          following = false;
          ended();
        },
      },
    );
    following = !('oldest' in subscription);
    if (!following) ended();
  };
}
