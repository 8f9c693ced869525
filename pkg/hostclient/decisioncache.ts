/** A cache of decisions for a short time: of TokenReviews, and of SubjectAccessReviews. */

/** `ttlMs`: how long it is cached; 0: only concurrent callers share it. */
export interface FetchedDecision<T> {
  readonly value: T;
  readonly ttlMs: number;
  /** Whether anybody can cause entries without limit: these do not displace others. */
  readonly unbounded?: boolean;
}

export interface DecisionCache<T> {
  /** Returns a cached decision synchronously. Concurrent callers share a fetch. */
  get(key: string, fetch: () => Promise<FetchedDecision<T>>): T | Promise<T>;
  /** Clears the cache. Fetches in flight answer only the callers that wait already. */
  clear(): void;
}

interface CachedDecision<T> {
  readonly value: T;
  readonly until: number;
}

/** Caches `most` decisions, and as many that are `unbounded`; the oldest is dropped first. `now`: ms. */
export function decisionCache<T>(
  most: number,
  now: () => number = () => performance.now(),
): DecisionCache<T> {
  const cached = new Map<string, CachedDecision<T>>();
  const unboundedEntries = new Map<string, CachedDecision<T>>();
  const fetching = new Map<string, Promise<T>>();
  let generation = 0;

  function add(key: string, { value, ttlMs, unbounded = false }: FetchedDecision<T>): void {
    if (ttlMs <= 0) return;
    for (const entries of [cached, unboundedEntries]) entries.delete(key);
    const entries = unbounded ? unboundedEntries : cached;
    if (entries.size >= most) entries.delete(entries.keys().next().value!);
    entries.set(key, { value, until: now() + ttlMs });
  }

  async function fetched(key: string, fetch: () => Promise<FetchedDecision<T>>): Promise<T> {
    const begun = generation;
    const answer = await fetch();
    if (begun === generation) add(key, answer);
    return answer.value;
  }

  return {
    get(key, fetch) {
      const found = cached.get(key) ?? unboundedEntries.get(key);
      if (found !== undefined && now() < found.until) return found.value;
      const waiting = fetching.get(key);
      if (waiting !== undefined) return waiting;
      const started = fetched(key, fetch).finally(() => {
        if (fetching.get(key) === started) fetching.delete(key);
      });
      fetching.set(key, started);
      return started;
    },
    clear() {
      generation += 1;
      cached.clear();
      unboundedEntries.clear();
      fetching.clear();
    },
  };
}
