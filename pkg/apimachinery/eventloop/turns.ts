/** Turns of the event loop. Nothing else calls `setImmediate` (lint). */
import { setImmediate as resolvedNextTurn } from 'node:timers/promises';

/** Resolves in the next turn. */
export const nextTurn = (): Promise<void> => resolvedNextTurn();

/** Calls `work` after everything that is ready in this turn. */
export function soon(work: () => void): void {
  setImmediate(work);
}
