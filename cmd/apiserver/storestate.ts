import type { WatchedStorage } from '../../pkg/storage/knownaway.js';

/** What a server behind a cluster's API server knows of its store. */
export interface StoreState {
  /** Undefined while it is not open. */
  watched: WatchedStorage | undefined;
  /** Whether it answered when it was last asked. */
  answers: boolean;
  /** Whether what is stored is loaded, and served. */
  served: boolean;
  /** Whether it was waited for long enough after the start. */
  awaited: boolean;
}

export const unknownStore = (): StoreState => ({
  watched: undefined,
  answers: false,
  served: false,
  awaited: false,
});

/**
 * Whether `/readyz` waits no more for the store: what is stored is served, or the store has been away for long enough
 * that requests for it may as well be put off here. One that answers is still being loaded: others may have it already.
 */
export const needsNoWaiting = ({ served, awaited, answers }: StoreState): boolean =>
  served || (awaited && !answers);
