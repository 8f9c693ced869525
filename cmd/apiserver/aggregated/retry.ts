import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { closeAll, type ShutdownHooks } from '../server/shutdownhooks.js';

export interface RetryOptions {
  readonly log: Logger;
  /** Gets the hooks of the attempt that succeeded. Running them ends the retries. */
  readonly shutdownHooks: ShutdownHooks;
  /** Called with the error of each attempt that failed. */
  readonly failed: (error: unknown) => void;
}

const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

/**
 * Retries until an attempt succeeds or `shutdownHooks` run. The hooks of an attempt that failed run at once. Never
 * rejects.
 */
export async function retryUntilSuccess(
  attempt: (shutdownHooks: ShutdownHooks) => Promise<void>,
  { log, shutdownHooks, failed }: RetryOptions,
): Promise<void> {
  const closing = new AbortController();
  shutdownHooks.push(() => closing.abort());
  for (let delay = MIN_DELAY_MS; !closing.signal.aborted; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    const opened: ShutdownHooks = [];
    try {
      await attempt(opened);
      if (!closing.signal.aborted) return void shutdownHooks.push(() => closeAll(opened, log));
    } catch (error) {
      if (!closing.signal.aborted) failed(error);
    }
    await closeAll(opened, log);
    await sleep(delay, undefined, { signal: closing.signal }).catch(() => undefined);
  }
}
