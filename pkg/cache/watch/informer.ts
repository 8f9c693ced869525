/** Every change of a cache, in the turn of the loop in which it comes in. */
import type { CacheEvent, ResourceCache } from '../interface.js';

/**
 * Answers what makes sure that changes are being told of: call it before relying on anything derived from the cache.
 * It begins, or begins anew after the cache was rebuilt, with a call of `rebuilt`, and throws `CacheUnavailable`
 * while the cache is not loaded. `ended` is called when it has to be called again; until then it does nothing.
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
