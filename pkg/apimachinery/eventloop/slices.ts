/** The one way in which long work yields to the event loop: by time. */
import { turnOfLongWork } from './turns.js';

/** The maximum time for which sliced work blocks the event loop, in milliseconds. */
const SLICE_MS = 5;

/** For work that goes on in another turn by itself: whether this slice has used its time. */
export function beginSlice(): () => boolean {
  const began = performance.now();
  return () => performance.now() - began >= SLICE_MS;
}

/**
 * Slices work on large input of clients. The returned function is called between steps, and waits for its next turn if
 * it has blocked the event loop long enough. Small work never waits.
 */
export function slices(): () => Promise<void> | undefined {
  let isOver = beginSlice();
  return () => {
    if (!isOver()) return undefined;
    return turnOfLongWork().then(() => {
      isOver = beginSlice();
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
