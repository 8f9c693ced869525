/** Upper bounds in seconds, those of Kubernetes. */
const BOUNDS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];

/** How long reviews took that ended with one code; as histograms of the server's metrics are kept. */
export interface ReviewDurations {
  readonly labels: { readonly code: string };
  /** Upper bounds in seconds. */
  readonly bounds: readonly number[];
  /** How many fell into each bucket alone; the last is above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** What came of the reviews that the host was asked for. */
export interface ReviewCounts {
  /** `code`: the HTTP status, or `<error>` where there was no answer. */
  record(this: void, code: string, seconds: number): void;
  series(this: void): Iterable<ReviewDurations>;
}

export function reviewCounts(): ReviewCounts {
  const byCode = new Map<string, ReviewDurations>();
  return {
    record(code, seconds) {
      let one = byCode.get(code);
      if (one === undefined) {
        one = { labels: { code }, bounds: BOUNDS, counts: Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
        byCode.set(code, one);
      }
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      const at = bucket < 0 ? BOUNDS.length : bucket;
      one.counts[at] = one.counts[at]! + 1;
      one.sum += seconds;
    },
    series: () => byCode.values(),
  };
}
