import type { ResourceClient } from '../interface.js';
import { objectPath } from '../../registry/keys.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import { followCache } from './followcache.js';

/** The reads of controllers from a cache of this server. */
export function cachedReads({
  definition,
  cache,
}: Pick<ResourceStore, 'definition' | 'cache'>): Pick<
  ResourceClient,
  'cached' | 'list' | 'count' | 'follow'
> {
  const prefix = (namespace: string): string => (namespace === '' ? '' : `${namespace}/`);
  return {
    cached: (key) => cache.latest().get(objectPath(definition, key)),
    list: (namespace) => cache.latest().entries(prefix(namespace)),
    count: (namespace) => cache.latest().count(prefix(namespace)),
    follow: (follower) => followCache(cache, follower),
  };
}
