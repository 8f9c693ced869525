/** What decides about a request is as new as the request, also where another server on the same store changed it. */
import type { ReadRevision } from '../../cache/watch/consistent.js';
import type { ResourceCache } from '../../cache/interface.js';
import type { RequestInfo } from '../requestinfo.js';

/** How long a request waits for a store that is away or slow, in ms. */
const STORE_TIMEOUT_MS = 1_000;
const FROM_MEMORY = /(^|&)resourceVersion=0(&|$)/;

type Freshness = Pick<ResourceCache, 'reach' | 'revision'>;

/** Undefined: at once. Never rejects. */
export type WaitUntilFresh = (info: RequestInfo, revision: ReadRevision) => Promise<void> | undefined;

/**
 * Waits until this server has in memory what was written before a request came: keys, users, roles and bindings are then
 * judged as they are. Reads that ask for what is in memory, and paths that are no resources, are answered from it; and
 * while the store is away memory decides.
 */
export function freshnessOf(cache: Freshness): WaitUntilFresh {
  return (info, revision) => {
    if (info.kind === 'path') return undefined;
    if (isRead(info.verb) && FROM_MEMORY.test(info.query)) return undefined;
    if (isFresh(revision, cache)) return undefined;
    // What needs the store says so itself.
    return inTime(revision.waitFor(cache, STORE_TIMEOUT_MS).catch(() => undefined));
  };
}

/** Whether that is known at once. */
function isFresh(revision: ReadRevision, cache: Freshness): boolean {
  try {
    return revision.isIn(cache);
  } catch {
    return false;
  }
}

const isRead = (verb: string): boolean => verb === 'get' || verb === 'list' || verb === 'watch';

function inTime(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, STORE_TIMEOUT_MS);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
