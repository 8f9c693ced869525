import { messageOf } from '../../apimachinery/caught.js';

/** The delay after a failure; it doubles each time. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Whether an API server answers, and when it is asked again. */
export class Reachability {
  /** Why the API server is unreachable; undefined: it is not. */
  why: string | undefined;
  private failures = 0;
  private until = 0;

  /** The milliseconds until it is asked again. */
  get waitMs(): number {
    return Math.max(0, this.until - performance.now());
  }

  /** Asks again at once. */
  retry(): void {
    this.until = 0;
  }

  answered(): void {
    [this.why, this.failures, this.until] = [undefined, 0, 0];
  }

  /** Returns whether the cause is another than before. Failures during the back-off do not count. */
  failed(error: unknown): boolean {
    if (this.waitMs > 0) return false;
    this.until = performance.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures);
    this.failures += 1;
    const before = this.why;
    this.why = messageOf(error);
    return before !== this.why;
  }
}
