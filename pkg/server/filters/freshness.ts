/** Makes a request see all earlier writes, also those of other servers on the same store. */
import type { ReadRevision } from '../../cache/watch/consistent.js';
import type { ResourceCache } from '../../cache/interface.js';
import { afterIdle } from '../../apimachinery/eventloop/idletimeout.js';
import type { RequestInfo } from '../requestinfo.js';

/** How long a request waits for an unavailable or slow store, in ms, and at most where the server is busy. */
const STORE_TIMEOUT_MS = 1_000;
const LONGEST_MS = 4_000;
const FROM_MEMORY = /(^|&)resourceVersion=0(&|$)/;

type Freshness = Pick<ResourceCache, 'reach' | 'revision'>;

/** Undefined: at once. Never rejects. */
export type WaitUntilFresh = (info: RequestInfo, revision: ReadRevision) => Promise<void> | undefined;

/**
 * Waits until the caches have all writes from before the request, so that current keys, users, roles and bindings
 * decide. Reads with resourceVersion 0 and non-resource paths do not wait. While the store is unavailable the caches
 * decide.
 */
export function freshnessOf(cache: Freshness): WaitUntilFresh {
  return (info, revision) => {
    if (info.kind === 'path') return undefined;
    if (isRead(info.verb) && FROM_MEMORY.test(info.query)) return undefined;
    if (isFresh(revision, cache)) return undefined;
    // Later accesses to the store report the failure.
    return inTime(revision.waitFor(cache, STORE_TIMEOUT_MS).catch(() => undefined));
  };
}

/** Whether the cache is fresh, if that is known without a request to the store. */
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
    const ends = afterIdle({ ms: STORE_TIMEOUT_MS, longest: LONGEST_MS }, resolve);
    void work.then(() => {
      ends();
      resolve();
    });
  });
}
