/** The newest revision: calls that wait together share one linearizable read. */

/**
 * @param read begun after the call, answers what the call may be answered with.
 * @returns a function whose calls never join a read that has been sent before them; at most one read is under way.
 */
export function coalesceReads<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= underWay.then(nextTurn).then(() => {
      const sent = read();
      next = undefined;
      underWay = sent.catch(() => undefined);
      return sent;
    });
    return next;
  };
}

/** So that calls of this turn of the loop get in. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
