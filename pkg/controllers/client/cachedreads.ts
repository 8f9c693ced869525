import type { Entry } from '../../cache/interface.js';
import type { ResourceClient } from '../interface.js';
import { objectPath } from '../../registry/keys.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { followCache } from './followcache.js';

function* storedOf(entries: Iterable<Entry>): Generator<Entry> {
  for (const entry of entries) if (entry.derived !== true) yield entry;
}

/** The reads of controllers from a cache of this server. */
export function cachedReads({
  definition,
  cache,
}: Pick<ResourceStore, 'definition' | 'cache'>): Pick<
  ResourceClient,
  'cached' | 'list' | 'count' | 'follow'
> {
  const list = (namespace: string): Generator<Entry> =>
    storedOf(cache.latest().entries(namespace === '' ? '' : `${namespace}/`));
  return {
    cached: (key) => cache.latest().get(objectPath(definition, key)),
    list,
    count(namespace) {
      let count = 0;
      for (const _ of list(namespace)) count += 1;
      return count;
    },
    follow: (follower) => followCache(cache, follower),
  };
}
