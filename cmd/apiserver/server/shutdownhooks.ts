import type { Logger } from '../../../pkg/server/logging/log.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';

/** Functions that close what is open, run in the reverse order. */
export type ShutdownHooks = (() => unknown)[];

/** Of the ten seconds for a shutdown: the time for requests, and the time for everything. */
export const DRAIN_MS = 7_000;
const STOP_MS = 9_000;

/** Runs all hooks, but ends after a timeout. Never rejects. */
export async function stop(shutdownHooks: ShutdownHooks, log: Logger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      log.warn('not everything could be closed in time');
      resolve();
    }, STOP_MS);
  });
  await Promise.race([closeAll(shutdownHooks, log), late]);
  clearTimeout(timer);
  log.info('stopped');
}

/** Never rejects. */
export async function closeAll(shutdownHooks: ShutdownHooks, log: Logger): Promise<void> {
  for (const close of shutdownHooks.splice(0).reverse()) {
    try {
      await close();
    } catch (error) {
      log.error({ reason: inWords(error) }, 'closing failed');
    }
  }
}
