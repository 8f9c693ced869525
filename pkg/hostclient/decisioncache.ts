/** Answers that are kept for a moment: what is asked again meanwhile costs nothing. */

/** `keepMs`: how long it counts; 0: only for those who wait for it together. */
export interface Answer<T> {
  readonly value: T;
  readonly keepMs: number;
  /** Whether anybody may bring about as many as they like: these take no places from the others. */
  readonly ofStrangers?: boolean;
}

export interface Answers<T> {
  /** Without a promise where the answer is there. Who asks while it is fetched waits for the same. */
  get(key: string, fetch: () => Promise<Answer<T>>): T | Promise<T>;
  /** Forgets everything; what is being fetched is for those who wait, and nobody after them. */
  clear(): void;
}

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Keeps `most` at a time, and as many of strangers; the oldest goes first. `now`: ms. */
export function answerCache<T>(most: number, now: () => number = () => performance.now()): Answers<T> {
  const kept = new Map<string, Kept<T>>();
  const strangers = new Map<string, Kept<T>>();
  const fetching = new Map<string, Promise<T>>();
  let generation = 0;

  function keep(key: string, { value, keepMs, ofStrangers = false }: Answer<T>): void {
    if (keepMs <= 0) return;
    for (const place of [kept, strangers]) place.delete(key);
    const place = ofStrangers ? strangers : kept;
    if (place.size >= most) place.delete(place.keys().next().value!);
    place.set(key, { value, until: now() + keepMs });
  }

  async function fetched(key: string, fetch: () => Promise<Answer<T>>): Promise<T> {
    const begun = generation;
    const answer = await fetch();
    if (begun === generation) keep(key, answer);
    return answer.value;
  }

  return {
    get(key, fetch) {
      const found = kept.get(key) ?? strangers.get(key);
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
      kept.clear();
      strangers.clear();
      fetching.clear();
    },
  };
}
