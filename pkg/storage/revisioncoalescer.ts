/** The newest revision: concurrent calls share one linearizable read. */
import { nextTurn } from '../apimachinery/eventloop/turns.js';

/**
 * @param read starts after the call and returns its result
 * @returns a function whose calls never join a read that was sent before them; at most one read is in flight
 */
export function coalesceReads<T>(read: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= inFlight.then(nextTurn).then(() => {
      const sent = read();
      next = undefined;
      inFlight = sent.catch(() => undefined);
      return sent;
    });
    return next;
  };
}
