/**
 * The latencies in a status: every measurement differs, and writing each would wake all watches of Clusters.
 */

interface Known {
  /** The last measurement, in ms. */
  readonly measured: number;
  /** When the value in the status last changed, as `performance.now()`. */
  readonly reportedAt: number;
}

/** The least time between two changes of a value. */
const REPLACE_MS = 60_000;
/** Values with a smaller difference, in ms, count as equal whatever their ratio. */
const ALIKE_MS = 10;

/** One report for each latency, by a key. */
export class LatencyReports {
  private readonly known = new Map<string, Known>();

  /**
   * Returns the value for the status, in whole ms. `reported`: the current one. `measured`: undefined if
   * there is no measurement. The lower of two measurements counts, so a single slow response changes nothing.
   */
  report(
    key: string,
    reported: number | undefined,
    measured: number | undefined,
    now: number,
  ): number | undefined {
    if (measured === undefined) {
      this.known.delete(key);
      return undefined;
    }
    const before = this.known.get(key);
    const latest = Math.max(1, Math.round(Math.min(measured, before?.measured ?? measured)));
    const since = before === undefined ? Infinity : now - before.reportedAt;
    // A status that somebody else wrote may have an integer that is no number here.
    const keep = typeof reported === 'number' && (alike(reported, latest) || since < REPLACE_MS);
    this.known.set(key, { measured, reportedAt: keep ? (before?.reportedAt ?? -Infinity) : now });
    return keep ? reported : latest;
  }

  forget(key: string): void {
    this.known.delete(key);
  }
}

function alike(one: number, other: number): boolean {
  const [less, more] = one < other ? [one, other] : [other, one];
  return more - less < ALIKE_MS || more < 2 * less;
}
