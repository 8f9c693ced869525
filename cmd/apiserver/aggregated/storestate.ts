import type { StoreRefused } from '../../../pkg/server/storeguard/refused.js';
import type { WatchedStorage } from '../../../pkg/storage/circuitbreaker.js';

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
  /** Why it is not served though it answers; undefined: it may be. */
  refused: StoreRefused | undefined;
  /** Whether, while it is refused here, another server serves: then a rollout of this one is better held up. */
  elsewhere: boolean;
}

export const unknownStore = (): StoreState => ({
  watched: undefined,
  answers: false,
  served: false,
  awaited: false,
  refused: undefined,
  elsewhere: false,
});

/**
 * Notes that what is stored cannot be opened; `refusal`: because it is not what it was. Until it is known whether another server
 * serves, it counts as if one did, so that `/readyz` does not say yes, and then no. One that was refused before is as it was.
 */
export function noteFailure(store: StoreState, refusal: StoreRefused | undefined): void {
  if (store.refused === undefined) store.elsewhere = refusal !== undefined;
  store.refused = refusal;
}

/**
 * Whether `/readyz` waits no more for the store: what is stored is served, or the store has been away for long enough
 * that requests for it may as well be put off here, or it is refused and nobody serves: discovery is to stay. One that answers is still
 * being loaded: others may have it already.
 */
export const isReadyWithoutStore = ({ served, awaited, answers, refused, elsewhere }: StoreState): boolean =>
  served || (awaited && (!answers || (refused !== undefined && !elsewhere)));
