import type { StoreRefused } from './refused.js';
import type { WatchedStorage } from '../../storage/circuitbreaker.js';

/** The state of an aggregated server's store. */
export class StoreState {
  /** Undefined while the store is not open. */
  watched: WatchedStorage | undefined = undefined;
  /** Whether the last request to the store was answered. */
  answers = false;
  /** Whether the store is loaded and served. */
  served = false;
  /** Whether the time is over that `/readyz` waits for the store after the start. */
  awaited = false;
  /** Why a store that answers is not served; undefined: it may be. */
  refused: StoreRefused | undefined = undefined;
  /** Whether another server serves while this one refuses its store. `/readyz` fails then, which holds up a rollout. */
  elsewhere = false;

  /**
   * Notes that the store cannot be opened; `refusal`: because it is not the same store. Until the first look for another
   * server that serves, it counts as if there were one, so that `/readyz` does not succeed and then fail.
   */
  failed(refusal: StoreRefused | undefined): void {
    if (this.refused === undefined) this.elsewhere = refusal !== undefined;
    this.refused = refusal;
  }

  /** Notes that the store, which was served, is not the same one any more. */
  lost(refusal: StoreRefused): void {
    this.served = false;
    this.refused = refusal;
    this.elsewhere = false;
    this.awaited = true;
  }

  /**
   * Whether `/readyz` waits for the store no longer: the store is served; or it was unavailable for long enough, as
   * requests then get 503 here as well; or it is refused and no other server serves, as discovery must stay available.
   * A store that answers and is not refused is still loading.
   */
  ready(): boolean {
    const refusedEverywhere = this.refused !== undefined && !this.elsewhere;
    return this.served || (this.awaited && (!this.answers || refusedEverywhere));
  }
}
