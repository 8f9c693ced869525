import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work that is cut into slices holds the event loop, in milliseconds. */
const SLICE_MS = 5;

/**
 * Cuts work on what clients made large: what it answers is called between two steps, and waits for the next turn of the
 * event loop where this one has been held long enough. Small work never waits.
 */
export function slices(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return nextTurn().then(() => {
      began = performance.now();
    });
  };
}
