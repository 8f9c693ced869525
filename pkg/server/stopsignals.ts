/** Handles SIGTERM and SIGINT of a server process. */

/** Signals that come together are one: a terminal, or `timeout`, may send two. */
const TOGETHER_MS = 1_000;
/** A start that takes longer is not waited for: it loses nothing by its end. */
const STARTING_MS = 2_000;

export interface Stoppable {
  /** Never rejects. */
  stop(): Promise<void>;
}

/**
 * Runs the result of `start` until the first signal, then stops it and exits with 0. A later signal, at least a second
 * after that, exits with 1 at once. A signal during the start takes effect after it, but ends the process after two
 * seconds. Rejects if `start` does.
 */
export async function runUntilSignal(start: () => Promise<Stoppable>): Promise<void> {
  let askedAt: number | undefined;
  let starting = true;
  const first = new Promise<void>((resolve) => {
    const received = (signal: NodeJS.Signals): void => {
      if (askedAt !== undefined) {
        if (performance.now() - askedAt >= TOGETHER_MS) process.exit(1);
        return;
      }
      askedAt = performance.now();
      resolve();
      setTimeout(() => {
        if (!starting) return;
        for (const one of ['SIGTERM', 'SIGINT'] as const) process.off(one, received);
        process.kill(process.pid, signal);
      }, STARTING_MS).unref();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, received);
  });
  const started = await start();
  starting = false;
  await first;
  await started.stop();
  process.exit(0);
}
