/**
 * Limits the requests that begin in a turn of the event loop, so that other work, probes and administrators run in
 * between.
 */
import { onEndOfTurn } from '../../ticks.js';
import type { Newcomers } from '../../listener/newcomers.js';
import { OVERLOADED, type ClientEnd } from './fairslots.js';
import type { Flow } from './shares.js';
import { WaitingLines, type Waiter } from './waitinglines.js';

export interface TurnQueueOptions {
  /** The time in a turn in which requests begin, in ms, and their number. */
  readonly sliceMs: number;
  readonly aTurn: number;
  /** Queue length. Beyond it, the newest request of the share with the most waiting is rejected. */
  readonly queueLength: number;
  readonly timeoutMs: number;
  /** ms of a clock that only grows. */
  readonly now: () => number;
  /** New connections, which have precedence over waiting requests. */
  readonly newcomers?: Pick<Newcomers, 'come'> | undefined;
}

interface Waiting extends Waiter {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** Interval of checks for requests over the queue timeout, in ms. */
const CHECK_INTERVAL_MS = 50;

export class TurnQueue {
  private readonly options: TurnQueueOptions;
  private readonly lines = new WaitingLines<Waiting>();
  private sliceEnd = 0;
  private left = 0;
  private checkedAt = 0;
  private asked = false;

  constructor(options: TurnQueueOptions) {
    this.options = options;
  }

  get waiting(): number {
    return this.lines.count;
  }

  /** Whether a request of that share would be rejected: the queue is full, and the share has its part of it. */
  turnsAway({ share }: Flow): boolean {
    return this.isFull && (this.lines.countOf(share) + 1) * this.lines.shares > this.options.queueLength;
  }

  get isFull(): boolean {
    return this.lines.count >= this.options.queueLength;
  }

  /** Undefined if the request may begin now. Throws or rejects: `Overloaded`. */
  enter(flow: Flow, end?: ClientEnd): Promise<void> | undefined {
    const now = this.options.now();
    if (this.lines.count === 0) {
      if (!this.asked) this.beginSlice(now);
      if (this.mayBegin(now)) return undefined;
    }
    this.makePlace(flow);
    return this.wait(flow, now, end);
  }

  atEndOfTurn(): void {
    this.asked = false;
    if (this.lines.count === 0) return;
    const now = this.options.now();
    if (now - this.checkedAt >= CHECK_INTERVAL_MS) this.dismiss(now);
    if (this.options.newcomers?.come === true) return this.ask();
    this.beginSlice(now);
    this.beginNext();
  }

  private beginSlice(now: number): void {
    this.sliceEnd = now + this.options.sliceMs;
    this.left = this.options.aTurn;
    this.ask();
  }

  private ask(): void {
    this.asked = true;
    onEndOfTurn(this);
  }

  /** Counts the request if it may begin. */
  private mayBegin(now: number): boolean {
    return now < this.sliceEnd && this.left-- > 0;
  }

  private readonly beginNext = (): void => {
    const next = this.lines.first();
    if (next === undefined || !this.mayBegin(this.options.now())) return;
    this.lines.served(next);
    next.begin();
    queueMicrotask(this.afterThis);
  };
  /** When this one waits for something, or is over: a tick that a promise asks for comes after all promises that can go on. */
  private readonly afterThis = (): void => process.nextTick(this.beginNext);

  private dismiss(now: number): void {
    this.checkedAt = now;
    const late = [...this.lines.oldest()].filter(({ since }) => now - since >= this.options.timeoutMs);
    for (const waiter of late) {
      this.lines.remove(waiter);
      waiter.refuse();
    }
    // The next in the queue may be late too.
    if (late.length > 0) this.dismiss(now);
  }

  private makePlace(flow: Flow): void {
    if (!this.isFull) return;
    if (this.turnsAway(flow)) throw OVERLOADED;
    const newest = this.lines.newestOfMost(flow.share, () => 0);
    if (newest === undefined) throw OVERLOADED;
    this.lines.remove(newest);
    newest.refuse();
  }

  private wait(flow: Flow, since: number, end: ClientEnd | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.lines.remove(waiter);
        reject(OVERLOADED);
      };
      const waiter: Waiting = {
        flow,
        since,
        slots: 0,
        begin() {
          end?.forget(leave);
          resolve();
        },
        refuse() {
          end?.forget(leave);
          reject(OVERLOADED);
        },
      };
      this.lines.add(waiter);
      end?.after(leave);
    });
  }
}
