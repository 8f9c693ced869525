/** Waiting that ends when the work is stopped. */

/** Rejects when stopped first: a store that hangs does not hold up the end. */
export async function unlessStopped<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  let give: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    give = () => reject(new Error('stopped'));
    if (signal.aborted) give();
    else signal.addEventListener('abort', give);
  });
  try {
    return await Promise.race([step, stopped]);
  } finally {
    if (give !== undefined) signal.removeEventListener('abort', give);
  }
}

/** Resolves after `ms` milliseconds, or when stopped. */
export function sleepUnlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
