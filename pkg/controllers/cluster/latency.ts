/** Which latencies a status tells: every measurement differs, and a write of each would wake whoever watches Clusters. */

interface Known {
  /** As of the last measurement, in ms. */
  readonly measured: number;
  /** When the status was told another value, as `performance.now()`. */
  readonly reportedAt: number;
}

/** How often a value is replaced at most. */
const REPLACE_MS = 60_000;
/** Values that differ by less are alike, whatever their ratio. In ms. */
const ALIKE_MS = 10;

/** One for each latency, by a key. */
export class LatencyReports {
  private readonly known = new Map<string, Known>();

  /**
   * What the status is to say, in whole ms. `reported`: what it says. `measured`: undefined where there is nothing to measure. The
   * shorter of two measurements counts, so that one slow answer changes nothing.
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
    const keep = reported !== undefined && (alike(reported, latest) || since < REPLACE_MS);
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
