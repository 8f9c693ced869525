/** Sizes and hit counts of the caches of this process. */
import type { ResourceCache } from '../../cache/interface.js';
import type { SlotCounts } from '../filters/flowcontrol/flowcontrol.js';
import type { Activity } from '../activity.js';
import type { BlockCacheCounts } from '../responsewriters/listgzip/blockcache.js';
import type { WatchRegistry } from '../watch/watchregistry.js';
import { resourceName } from '../../registry/keys.js';

export interface CacheSources {
  readonly resources: () => Iterable<ResourceCache>;
  readonly compressedLists: () => BlockCacheCounts;
  readonly watches: Pick<WatchRegistry, 'size' | 'sent'>;
  readonly activity: Activity;
  readonly slots: () => SlotCounts;
}

/** Bounded by the number of kinds: no object is named. */
export function cacheState({ resources, compressedLists, watches, activity, slots }: CacheSources): object {
  return {
    resources: [...resources()].map(resourceState),
    compressedLists: compressedLists(),
    watches: {
      open: watches.size,
      sent: [...watches.sent()].map(({ definition, events, bytes }) => ({
        resource: resourceName(definition),
        events,
        bytes,
      })),
    },
    requests: { inFlight: { ...activity.inFlight }, dropped: { ...activity.dropped } },
    flowControl: slots(),
  };
}

function resourceState(cache: ResourceCache): object {
  const { resource } = cache;
  const revision = cache.revision();
  // 0: not loaded yet.
  if (revision === 0) return { resource, revision };
  return { resource, revision, objects: cache.latest().size, undecryptable: cache.undecryptable().size };
}
