import { setImmediate as nextTurn } from 'node:timers/promises';

/** The maximum time for which sliced work blocks the event loop, in milliseconds. */
const SLICE_MS = 5;

/**
 * Slices work on large input of clients. The returned function is called between steps, and waits for the next turn
 * of the event loop if this one was blocked long enough. Small work never waits.
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

/** Work that yields where it may be interrupted. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps without a pause. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the steps in several turns of the event loop. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const pause = slices();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}
