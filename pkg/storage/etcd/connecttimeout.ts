/**
 * When a connection that is being opened is given up. gRPC waits as long as the kernel, a quarter of an hour, where a host is
 * gone, or packets are lost, before a connection that was accepted is answered.
 */

const FIRST_MS = 4_000;
/** A busy machine may take long; gRPC's own limit, in other languages than this one. */
const LONGEST_MS = 20_000;

/** Times are those of `performance.now()`. */
export class ConnectTimeout {
  private openedAt = -Infinity;
  /** Since when calls have waited for the connection. */
  private since: number | undefined;
  private timeoutMs = FIRST_MS;

  /** A call came through. */
  answered(): void {
    this.since = undefined;
    this.timeoutMs = FIRST_MS;
  }

  opened(now: number): void {
    this.openedAt = now;
    this.since = undefined;
  }

  /** A call that began at `asked` has waited for the connection in vain. The timeout doubles each time that it is over. */
  isOver(asked: number, now: number): boolean {
    this.since ??= Math.max(asked, this.openedAt);
    if (now - this.since < this.timeoutMs) return false;
    this.timeoutMs = Math.min(2 * this.timeoutMs, LONGEST_MS);
    return true;
  }
}
