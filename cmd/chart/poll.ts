import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 180_000;
const PAUSE_MS = 500;

/**
 * Repeats `ask` until the result is not undefined. Errors, such as of an unreachable host, are thrown only
 * after three minutes, as is the absence of `what`.
 */
export async function pollUntil<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (Date.now() > until) throw new Error(`this did not come: ${what}`);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
