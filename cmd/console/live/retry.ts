/** When a list that lost the server asks again: later each time, and at once when another list of this page has reached it. */

/** Resolves after `ms`, or when `signal` aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The lists of the page that wait for the server. */
const waiting = new Set<() => void>();

export class Retry {
  #pauseMs = FIRST_PAUSE_MS;

  constructor(private readonly wait: Wait) {}

  /** The server answered: whoever waits for it goes on. */
  reached(): void {
    for (const wake of waiting) wake();
  }

  /** After a success: the next pause is the first again. */
  succeeded(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    this.reached();
  }

  /** `lost`: whether the server could not be reached, so that it helps to know that it can. `leastMs`: the shortest pause. */
  async pause(signal: AbortSignal, lost: boolean, leastMs = 0): Promise<void> {
    const ms = Math.max(this.#pauseMs, leastMs);
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, ms * 2);
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    if (lost) waiting.add(wake);
    try {
      // Many browsers that lost one server do not come back at once.
      await this.wait(ms * (0.5 + Math.random() / 2), AbortSignal.any([signal, woken.signal]));
    } finally {
      waiting.delete(wake);
    }
  }
}
