/** Lists of the page that lost the server retry at once when another one has reached it. */

/** Resolves after `ms`, or when `signal` is aborted. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** The lists of the page that wait for the server. */
const waiting = new Set<() => void>();

/** The server has responded: waiting lists continue. */
export function reached(): void {
  for (const wake of waiting) wake();
}

/** As `wait`, which ends when another list reaches the server. */
export async function untilReached(wait: Wait, ms: number, signal: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  waiting.add(wake);
  try {
    await wait(ms, AbortSignal.any([signal, woken.signal]));
  } finally {
    waiting.delete(wake);
  }
}
