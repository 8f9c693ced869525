/** So many at a time, and no share more than its part; who must wait is let in in turns, share by share. */
import type { ExchangeEnd } from '../../listener/exchangeend.js';
import type { Flow } from './shares.js';
import { mostOf } from './shares.js';
import type { Holder, Release } from './slotholders.js';
import { SlotHolders } from './slotholders.js';
import type { Waiter } from './waitinglines.js';
import { WaitingLines } from './waitinglines.js';

export type { Release } from './slotholders.js';

/** Thrown, or what a wait rejects with: there is no slot, and no place to wait for one. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** What a request that waits with its client is told of: who is gone leaves the line. */
export type Leaving = Pick<ExchangeEnd, 'after' | 'forget'>;

export interface SlotCount {
  readonly taken: number;
  readonly waiting: number;
}

export interface FairSlots {
  /**
   * Takes slots at once where they are free, else when it is the share's turn. While somebody waits who has none, answers
   * that their clients do not take are cut. Throws or rejects: {@link Overloaded}.
   */
  enter(flow: Flow, slots: number, end?: Leaving & Holder): Release | Promise<Release>;
  counts(): SlotCount;
}

export interface FairSlotsOptions {
  /** 0: any number. */
  readonly limit: number;
  /** So many may wait; past it those of whoever waits for most, and has most, are turned away. */
  readonly places: number;
  readonly patienceMs: number;
  /** What shares have had: of those that wait, the one with the least is next. By default the slots that they hold now. */
  readonly had?: (share: string) => number;
}

interface Waiting extends Waiter {
  readonly end: (Leaving & Holder) | undefined;
  readonly grant: (release: Release) => void;
  readonly refuse: () => void;
}

/** Between looks at what is held, while somebody waits. */
const LOOK_MS = 150;
/** Answers that are cut at one look. */
const CUT_AT_A_LOOK = 64;

export function fairSlots({ limit, places, patienceMs, had }: FairSlotsOptions): FairSlots {
  const holders = new SlotHolders(limit, () => {
    if (lines.count > 0) admit();
  });
  const lines = new WaitingLines<Waiting>();
  let looks: NodeJS.Timeout | undefined;

  const hasPart = ({ flow, slots }: Waiter): boolean => holders.hasPart(flow, slots);
  const held = (share: string): number => holders.usedBy(share);
  const next = (): Waiting | undefined => lines.next(hasPart, had ?? held);
  const isFree = (slots: number): boolean => holders.taken + slots <= limit;

  /** A big request whose turn it is waits for its slots, and nobody passes it: it would wait for ever. */
  function admit(): void {
    for (;;) {
      const waiter = next();
      if (waiter === undefined || !isFree(waiter.slots)) return;
      lines.served(waiter);
      waiter.grant(holders.take(waiter.flow, waiter.slots, waiter.end));
    }
  }

  function look(): void {
    if (lines.count === 0) {
      clearInterval(looks);
      looks = undefined;
      return;
    }
    holders.look();
    for (let cut = 0; cut < CUT_AT_A_LOOK; cut += 1) {
      const waiter = next();
      if (waiter === undefined || isFree(waiter.slots) || !holders.reclaim()) return;
    }
  }

  function makePlace({ share }: Flow): void {
    if (lines.count < places) return;
    const newest = lines.newestOfMost(share, held);
    if (newest === undefined) throw new Overloaded();
    lines.remove(newest);
    newest.refuse();
  }

  function wait(flow: Flow, slots: number, end: (Leaving & Holder) | undefined): Promise<Release> {
    looks ??= setInterval(look, LOOK_MS).unref();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        lines.remove(waiter);
        waiter.refuse();
        admit();
      };
      const timer = setTimeout(giveUp, patienceMs).unref();
      const settle = (): void => {
        clearTimeout(timer);
        end?.forget(giveUp);
      };
      const waiter: Waiting = {
        ...{ flow, slots, end },
        grant(release) {
          settle();
          resolve(release);
        },
        refuse() {
          settle();
          reject(new Overloaded());
        },
      };
      lines.add(waiter);
      end?.after(giveUp);
    });
  }

  return {
    enter(flow, wanted, end) {
      if (limit === 0) return holders.take(flow, wanted, end);
      const slots = Math.min(wanted, mostOf(limit, flow));
      const passesNobody = lines.count === 0 || (!lines.has(flow.share) && next() === undefined);
      if (passesNobody && isFree(slots) && holders.hasPart(flow, slots))
        return holders.take(flow, slots, end);
      makePlace(flow);
      return wait(flow, slots, end);
    },
    counts: () => ({ taken: holders.taken, waiting: lines.count }),
  };
}
