/** Work over many objects that yields to the event loop. */

const SLICE_MS = 5;

/** Resolves at once, or in a later turn of the event loop when this turn has used its share. */
export type Yielder = () => Promise<void> | undefined;

export function createYielder(): Yielder {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        began = performance.now();
        resolve();
      });
    });
  };
}

/** Calls `work` for each item, at most `limit` at the same time. Rejects with the first failure. */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const maybeYield = createYielder();
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      await work(next.value);
      await maybeYield();
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
