/** What decides about a request is as new as the request, also where another server on the same store changed it. */
import type { NewestRevision } from '../../cache/watch/consistent.js';
import type { ResourceCache } from '../../cache/interface.js';
import type { RequestInfo } from '../requestinfo.js';

/** How long a request waits for a store that is away or slow, in ms. */
const STORE_TIMEOUT_MS = 1_000;
const FROM_MEMORY = /(^|&)resourceVersion=0(&|$)/;

type Freshness = Pick<ResourceCache, 'reach' | 'revision'>;

/** Undefined: at once. `began`: when the request came, by `performance.now()`. Never rejects. */
export type WaitUntilFresh = (info: RequestInfo, began: number) => Promise<void> | undefined;

/**
 * Waits until this server has in memory what was written before a request came: keys, users, roles and bindings are then
 * judged as they are. Reads that ask for what is in memory, and paths that are no resources, are answered from it; and
 * while the store is away memory decides.
 */
export function freshnessOf(newest: NewestRevision, cache: Freshness): WaitUntilFresh {
  const reached = async (began: number): Promise<void> => {
    try {
      await cache.reach(await newest(began), STORE_TIMEOUT_MS);
    } catch {
      // What needs the store says so itself.
    }
  };
  return (info, began) => {
    if (info.kind === 'path') return undefined;
    if (isRead(info.verb) && FROM_MEMORY.test(info.query)) return undefined;
    return isReached(newest, cache, began) ? undefined : inTime(reached(began));
  };
}

/** Whether that is known at once. */
function isReached(newest: NewestRevision, cache: Freshness, began: number): boolean {
  try {
    const revision = newest.now?.(began);
    return revision !== undefined && revision <= cache.revision();
  } catch {
    // What waits says so itself.
    return false;
  }
}

const isRead = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch';

function inTime(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, STORE_TIMEOUT_MS);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
