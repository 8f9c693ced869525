/** The last change that can be taken back; what it would set back is forgotten with it. */
import type { Undo } from '../client/edits/undo.js';

export interface Offered {
  /** What was done. */
  readonly text: string;
  readonly undo: Undo;
}

/** How long it is offered. */
export const OFFERED_MS = 20_000;

let offered: Offered | undefined;
const listeners = new Set<() => void>();

export const offeredUndo = (): Offered | undefined => offered;

export function onUndo(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function offerUndo(next: Offered | undefined): void {
  offered = next;
  for (const listener of listeners) listener();
}

/** Does something that can be taken back, and offers to. Rejects as `change`. */
export async function undoably(text: string, change: Promise<Undo | undefined>): Promise<void> {
  const undo = await change;
  offerUndo(undo && { text, undo });
}
