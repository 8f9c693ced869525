/**
 * When a list retries after it lost the server: with increasing delays, and at once when another list of the page has
 * reached the server.
 */

/** Resolves after `ms`, or when `signal` is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The lists of the page that wait for the server. */
const waiting = new Set<() => void>();

export class Retry {
  private pauseMs = FIRST_PAUSE_MS;

  constructor(private readonly wait: Wait) {}

  /** The server has responded: waiting lists continue. */
  reached(): void {
    for (const wake of waiting) wake();
  }

  /** Resets the delay after a success. */
  succeeded(): void {
    this.pauseMs = FIRST_PAUSE_MS;
    this.reached();
  }

  /**
   * `lost`: whether the server could not be reached, so that the delay ends when another list reaches it. `leastMs`:
   * the minimum delay.
   */
  async pause(signal: AbortSignal, lost: boolean, leastMs = 0): Promise<void> {
    const ms = Math.max(this.pauseMs, leastMs);
    this.pauseMs = Math.min(LONGEST_PAUSE_MS, ms * 2);
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    if (lost) waiting.add(wake);
    try {
      // The jitter spreads the requests of many browsers that lost the same server.
      await this.wait(ms * (0.5 + Math.random() / 2), AbortSignal.any([signal, woken.signal]));
    } finally {
      waiting.delete(wake);
    }
  }
}
