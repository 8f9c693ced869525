import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 180_000;
const PAUSE_MS = 500;

/**
 * Asks again until the answer is not undefined. What throws in between, such as a host that is away, is thrown only when
 * three minutes are over, as is that `what` did not come.
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
