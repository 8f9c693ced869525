/** Turns of the event loop. Nothing else calls `setImmediate` (lint). */
import { setImmediate as resolvedNextTurn } from 'node:timers/promises';

/** Resolves in the next turn. */
export const nextTurn = (): Promise<void> => resolvedNextTurn();

/** Of each turn one piece of long work has its share, however much of it there is: what is short waits for one only. */
const waiting: (() => void)[] = [];

/** Resolves in a turn in which no other long work goes on, in the order of the calls. */
export function turnOfLongWork(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) soon(giveTurn);
  });
}

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) soon(giveTurn);
}

/** Calls `work` after everything that is ready in this turn. */
export function soon(work: () => void): void {
  setImmediate(work);
}
