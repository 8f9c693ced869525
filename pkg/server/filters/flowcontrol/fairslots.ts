/** Limits requests in flight, in total and for each share. Waiting requests are admitted in turn, share by share. */
import type { ExchangeEnd } from '../../exchangeend.js';
import { maxOf, type Flow } from './shares.js';
import { SlotHolders, type Holder, type Release } from './slotholders.js';
import { WaitingLines, type Waiter } from './waitinglines.js';

export type { Release } from './slotholders.js';

/** Thrown or rejected with if no slot is free and the queue is full. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** A single instance, as it is thrown often under load, and its stack is not needed. */
export const OVERLOADED = new Overloaded();

/** Notifies of the end of a request, whose client may disconnect while it waits. */
export type ClientEnd = Pick<ExchangeEnd, 'after' | 'forget'>;

export interface SlotCount {
  readonly taken: number;
  readonly waiting: number;
}

export interface FairSlotsOptions {
  /** 0: any number. */
  readonly limit: number;
  /** Queue length. Beyond it, the newest request of the share with the most waiting and in flight is rejected. */
  readonly queueLength: number;
  readonly timeoutMs: number;
  /** The past usage of shares: the waiting share with the least is next. By default the slots in use. */
  readonly had?: (share: string) => number;
}

interface Waiting extends Waiter {
  readonly end: (ClientEnd & Holder) | undefined;
  readonly grant: (release: Release) => void;
  readonly refuse: () => void;
}

/** Interval of checks for stalled answers while a share without slots waits. */
const CHECK_INTERVAL_MS = 150;
/** Answers that are cut at one check. */
const MAX_CUT_PER_CHECK = 64;

export class FairSlots {
  private readonly options: FairSlotsOptions;
  private readonly holders: SlotHolders;
  private readonly lines = new WaitingLines<Waiting>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: FairSlotsOptions) {
    this.options = options;
    this.holders = new SlotHolders(options.limit, () => {
      if (this.lines.count > 0) this.admit();
    });
  }

  /**
   * Takes slots at once if they are free, else in the share's turn. While a share without slots waits, stalled answers
   * are cut. Throws or rejects: {@link Overloaded}.
   */
  enter(flow: Flow, wanted: number, end?: ClientEnd & Holder): Release | Promise<Release> {
    const { limit } = this.options;
    if (limit === 0) return this.holders.take(flow, wanted, end);
    const slots = Math.min(wanted, maxOf(limit, flow));
    const passesNobody = this.lines.count === 0 || (!this.lines.has(flow.share) && this.next() === undefined);
    if (passesNobody && this.isFree(slots) && this.holders.hasPart(flow, slots))
      return this.holders.take(flow, slots, end);
    this.makePlace(flow);
    return this.wait(flow, slots, end);
  }

  counts(): SlotCount {
    return { taken: this.holders.taken, waiting: this.lines.count };
  }

  private readonly hasPart = ({ flow, slots }: Waiter): boolean => this.holders.hasPart(flow, slots);
  private readonly held = (share: string): number => this.holders.usedBy(share);

  private next(): Waiting | undefined {
    return this.lines.next(this.hasPart, this.options.had ?? this.held);
  }

  private isFree(slots: number): boolean {
    return this.holders.taken + slots <= this.options.limit;
  }

  /** A large request at its turn waits for its slots and is not overtaken, else it would wait forever. */
  private admit(): void {
    for (;;) {
      const waiter = this.next();
      if (waiter === undefined || !this.isFree(waiter.slots)) return;
      this.lines.served(waiter);
      waiter.grant(this.holders.take(waiter.flow, waiter.slots, waiter.end));
    }
  }

  private check(): void {
    if (this.lines.count === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    this.holders.check();
    for (let cut = 0; cut < MAX_CUT_PER_CHECK; cut += 1) {
      const waiter = this.next();
      if (waiter === undefined || this.isFree(waiter.slots) || !this.holders.reclaim()) return;
    }
  }

  private makePlace({ share }: Flow): void {
    if (this.lines.count < this.options.queueLength) return;
    const newest = this.lines.newestOfMost(share, this.held);
    if (newest === undefined) throw OVERLOADED;
    this.lines.remove(newest);
    newest.refuse();
  }

  private wait(flow: Flow, slots: number, end: (ClientEnd & Holder) | undefined): Promise<Release> {
    this.timer ??= setInterval(() => this.check(), CHECK_INTERVAL_MS).unref();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.lines.remove(waiter);
        waiter.refuse();
        this.admit();
      };
      const timer = setTimeout(giveUp, this.options.timeoutMs).unref();
      const settle = (): void => {
        clearTimeout(timer);
        end?.forget(giveUp);
      };
      const waiter: Waiting = {
        flow,
        slots,
        end,
        grant(release) {
          settle();
          resolve(release);
        },
        refuse() {
          settle();
          reject(OVERLOADED);
        },
      };
      this.lines.add(waiter);
      end?.after(giveUp);
    });
  }
}
