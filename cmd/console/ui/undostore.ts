/** The last change that can be undone. The former values are dropped with it. */
import type { Undo } from '../client/edits/undo.js';

export interface Offered {
  /** Describes the change. */
  readonly text: string;
  readonly undo: Undo;
}

/** How long the undo is offered. */
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

/** Makes a change, and offers to undo it. Rejects as `change`. */
export async function undoably(text: string, change: Promise<Undo | undefined>): Promise<void> {
  const undo = await change;
  offerUndo(undo && { text, undo });
}
