/** Work over many objects, some of them at the same time. */
import { slices } from '../apimachinery/eventloop/slices.js';

/** Calls `work` for each item, at most `limit` at the same time. Rejects with the first failure. */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const maybeYield = slices();
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      await work(next.value);
      await maybeYield();
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
