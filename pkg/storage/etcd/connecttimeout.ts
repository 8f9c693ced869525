/**
 * The timeout for opening a connection. If a host is down, or packets are lost before an accepted connection
 * is answered, gRPC waits as long as the kernel: a quarter of an hour.
 */

const FIRST_MS = 4_000;
/** gRPC's own limit in other languages; a busy machine may be slow. */
const LONGEST_MS = 20_000;

/** Times are those of `performance.now()`. */
export class ConnectTimeout {
  private openedAt = -Infinity;
  /** When the first of the waiting calls began to wait. */
  private since: number | undefined;
  private timeoutMs = FIRST_MS;

  /** Notes a successful call. */
  answered(): void {
    this.since = undefined;
    this.timeoutMs = FIRST_MS;
  }

  opened(now: number): void {
    this.openedAt = now;
    this.since = undefined;
  }

  /**
   * Whether the timeout of a call that began at `asked`, and waited for the connection, has expired. It
   * doubles each time.
   */
  isOver(asked: number, now: number): boolean {
    this.since ??= Math.max(asked, this.openedAt);
    if (now - this.since < this.timeoutMs) return false;
    this.timeoutMs = Math.min(2 * this.timeoutMs, LONGEST_MS);
    return true;
  }
}
