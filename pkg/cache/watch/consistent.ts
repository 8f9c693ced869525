/** Consistent reads from the cache, as etcd's with ReadIndex: which revision must they have, and does the cache have it? */
import type { ResourceCache } from '../interface.js';
import type { Storage } from '../../storage/interface.js';

/**
 * The revision of a store at `since` or later (`performance.now()`); absent: later than the call. Errors:
 * `unavailable`.
 */
export interface NewestRevision {
  (since?: number): Promise<number>;
  /** The same without a request to the store; undefined: a request is needed. Throws `unavailable`. */
  now?(this: void, since: number): number | undefined;
}

/**
 * The newest revision, as {@link Storage.currentRevision}, with concurrent calls sharing requests: a call is answered
 * by a request that began after its `since`, and at most one is under way.
 */
export function newestRevision(storage: Pick<Storage, 'currentRevision' | 'revisionNow'>): NewestRevision {
  let running: Promise<number> | undefined;
  let next: Promise<number> | undefined;
  let began = -Infinity;
  let answered:
    | { readonly asked: number; readonly revision: Promise<number>; readonly is: number }
    | undefined;

  const settled = (): void => {
    running = undefined;
  };

  function begin(): Promise<number> {
    next = undefined;
    const asked = (began = performance.now());
    const revision = (running = storage.currentRevision());
    revision.then((is) => {
      answered = { asked, revision, is };
      settled();
    }, settled);
    return revision;
  }

  // Its own `settled` has run by then: it was registered first.
  const newest = (since = Infinity): Promise<number> => {
    if (answered !== undefined && answered.asked >= since) return answered.revision;
    if (running !== undefined && began >= since) return running;
    return running === undefined && next === undefined
      ? begin()
      : (next ??= (running ?? Promise.resolve()).then(begin, begin));
  };
  const now = (since: number): number | undefined => {
    if (storage.revisionNow !== undefined) return storage.revisionNow();
    return answered !== undefined && answered.asked >= since ? answered.is : undefined;
  };
  return Object.assign(newest, { now });
}

/**
 * The minimum revision of all reads for one request: the newest of the store at some moment after the request arrived.
 * The store is asked once for all reads.
 */
export class ReadRevision {
  private readonly newest: NewestRevision;
  private readonly since: number;
  private asked: Promise<number> | undefined;

  /** @param since when the request came (`performance.now()`); absent: later than the first read */
  constructor(newest: NewestRevision, since = Infinity) {
    this.newest = newest;
    this.since = since;
  }

  /** Whether the cache has the revision, without a request to the store. Throws `unavailable`. */
  isIn(cache: Pick<ResourceCache, 'revision'>): boolean {
    const revision = this.newest.now?.(this.since);
    return revision !== undefined && revision <= cache.revision();
  }

  /**
   * Resolves with true once the cache has it; with false when that takes longer than `timeoutMs` from the store's answer
   * on. Errors: `unavailable`; the next call asks again.
   */
  async waitFor(cache: Pick<ResourceCache, 'reach'>, timeoutMs: number): Promise<boolean> {
    this.asked ??= this.newest(this.since);
    try {
      return await cache.reach(await this.asked, timeoutMs);
    } catch (error) {
      this.asked = undefined;
      throw error;
    }
  }
}
