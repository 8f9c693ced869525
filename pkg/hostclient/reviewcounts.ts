/** Upper bounds in seconds, those of Kubernetes. */
const BOUNDS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];

/** The durations of reviews that ended with one code, as a histogram of the server's metrics. */
interface ReviewDurations {
  readonly labels: { readonly code: string };
  /** Upper bounds in seconds. */
  readonly bounds: readonly number[];
  /** The counts of each single bucket; the last one is above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** The outcomes of reviews by the host. */
export interface ReviewCounts {
  /** `code`: the HTTP status, or `<error>` without a response. */
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
