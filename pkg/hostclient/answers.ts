/** Answers that are kept for a moment: what is asked again meanwhile costs nothing. */

/** `keepMs`: how long it counts; 0: only for those who wait for it together. */
export interface Answer<T> {
  readonly value: T;
  readonly keepMs: number;
}

export interface Answers<T> {
  /** Without a promise where the answer is there. Who asks while it is fetched waits for the same. */
  get(key: string, fetch: () => Promise<Answer<T>>): T | Promise<T>;
  /** Forgets everything; what is being fetched is for those who wait, and nobody after them. */
  clear(): void;
}

/** Keeps `most` at a time; the oldest goes first. `now`: ms. */
export function keptAnswers<T>(most: number, now: () => number = () => performance.now()): Answers<T> {
  const kept = new Map<string, { readonly value: T; readonly until: number }>();
  const fetching = new Map<string, Promise<T>>();
  let generation = 0;

  function keep(key: string, { value, keepMs }: Answer<T>): void {
    if (keepMs <= 0) return;
    kept.delete(key);
    if (kept.size >= most) kept.delete(kept.keys().next().value as string);
    kept.set(key, { value, until: now() + keepMs });
  }

  async function fetched(key: string, fetch: () => Promise<Answer<T>>): Promise<T> {
    const begun = generation;
    const answer = await fetch();
    if (begun === generation) keep(key, answer);
    return answer.value;
  }

  return {
    get(key, fetch) {
      const found = kept.get(key);
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
      fetching.clear();
    },
  };
}
