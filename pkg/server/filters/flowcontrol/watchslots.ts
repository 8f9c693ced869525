/** Slots of watches, which do not queue: if all are taken, the user with the most loses one to a user with few. */
import type { ExchangeEnd } from '../../exchangeend.js';
import { OVERLOADED, type Release } from './fairslots.js';
import { maxOf, type Flow } from './shares.js';

export interface WatchSlots {
  /** Throws `Overloaded`. */
  open(flow: Flow, end?: Pick<ExchangeEnd, 'giveUp'>): Release;
  count(): number;
}

/** One open watch. */
interface Held {
  readonly end: Pick<ExchangeEnd, 'giveUp'> | undefined;
  readonly release: Release;
}

/** `limit` 0: any number. */
export function watchSlots(limit: number): WatchSlots {
  /** By share, the oldest first. */
  const shares = new Map<string, Set<Held>>();
  let all = 0;

  /** Ends the newest of the share with the most, which must be left with no fewer than the asking one gets. */
  function makeRoom(own: number): void {
    let most: Set<Held> | undefined;
    for (const held of shares.values()) if (held.size > (most?.size ?? 0)) most = held;
    if (most === undefined || most.size <= own + 1) throw OVERLOADED;
    const newest = [...most].at(-1)!;
    newest.release();
    newest.end?.giveUp();
  }

  return {
    open(flow, end) {
      const own = shares.get(flow.share)?.size ?? 0;
      if (limit > 0 && own >= maxOf(limit, flow)) throw OVERLOADED;
      if (limit > 0 && all >= limit) makeRoom(own);
      const held = shares.get(flow.share) ?? new Set<Held>();
      shares.set(flow.share, held);
      const one: Held = {
        end,
        release() {
          if (!held.delete(one)) return;
          all -= 1;
          if (held.size === 0 && shares.get(flow.share) === held) shares.delete(flow.share);
        },
      };
      held.add(one);
      all += 1;
      return one.release;
    },
    count: () => all,
  };
}
