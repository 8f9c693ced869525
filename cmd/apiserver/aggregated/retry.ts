import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../pkg/server/logging/log.js';
import type { ShutdownHooks } from '../server/shutdownhooks.js';
import { closeAll } from '../server/shutdownhooks.js';

export interface RetryOptions {
  readonly log: Logger;
  /** What is open at the end; also where trying is given up. */
  readonly shutdownHooks: ShutdownHooks;
  /** Told why an attempt failed. */
  readonly failed: (error: unknown) => void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Makes attempts until one succeeds, for as long as `shutdownHooks` are open, however often they fail; what an attempt opened
 * before it failed is closed. Never rejects.
 */
export async function retryUntilSuccess(
  attempt: (shutdownHooks: ShutdownHooks) => Promise<void>,
  { log, shutdownHooks, failed }: RetryOptions,
): Promise<void> {
  const closing = new AbortController();
  shutdownHooks.push(() => closing.abort());
  for (let pause = FIRST_PAUSE_MS; !closing.signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const opened: ShutdownHooks = [];
    try {
      await attempt(opened);
      if (!closing.signal.aborted) return void shutdownHooks.push(() => closeAll(opened, log));
    } catch (error) {
      if (!closing.signal.aborted) failed(error);
    }
    await closeAll(opened, log);
    await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined);
  }
}
