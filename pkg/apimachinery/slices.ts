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

/** Work that says where it may be interrupted. */
export type Steps<T> = Generator<void, T, void>;

/** Does all of it without a pause. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does it in as many turns of the event loop as it takes. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const pause = slices();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
