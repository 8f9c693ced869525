/**
 * Queues of writers of one object. Writers that lose to another one, and those that come while some stand in line, go
 * one after the other; without that the slowest of many would lose for ever. Users take turns, so that one user's many
 * writes do not delay the single write of another. Nothing is locked: whoever does not finish in time, or waits too
 * long, goes on beside the others, and the store decides as ever.
 */
import type { Entry } from '../../cache/interface.js';

/** A writer has the object to itself for so long; then the next one starts beside it. */
const TURN_MS = 1_000;
/** Nobody waits for a turn longer than this. */
const WAIT_MS = 4_000;
/** How long a process gives way to others after one of them came first. */
const RIVALS_MS = 1_000;

export interface WriteTurn {
  /** The object as the writer before left it, where that is known and may be newer than the cache. */
  readonly newest: Entry | undefined;
  /** How long to wait first, so that other processes have a chance too. */
  readonly pauseMs: number;
  /** Whether others may write beside this writer: its time is over, or it did not get its turn in time. */
  readonly over: boolean;
  /** Another process came first. */
  rivalled(): void;
  /** Lets the next one go. `newest`: the object as it is now, if it is known. Only the first call counts. */
  end(newest?: Entry): void;
}

interface Waiter {
  start(newest: Entry | undefined): void;
}

const WITHOUT_TURN: WriteTurn = {
  newest: undefined,
  pauseMs: 0,
  over: true,
  rivalled: () => undefined,
  end: () => undefined,
};

/** The queues of one process; an object without contention has none. */
export class WriteQueues {
  private readonly queues = new Map<string, WriteQueue>();

  /** Whether somebody writes the object of `key` in turn, so that others do better to wait. */
  contended(key: string): boolean {
    return this.queues.has(key);
  }

  /** Resolves when it is the turn of `user`, at the latest after {@link WAIT_MS}. Never rejects. */
  enter(key: string, user: string): Promise<WriteTurn> {
    let queue = this.queues.get(key);
    if (queue === undefined) {
      queue = new WriteQueue(() => this.queues.delete(key));
      this.queues.set(key, queue);
    }
    return queue.enter(user);
  }
}

class WriteQueue {
  /** In the order in which users have their turns. */
  private readonly waiting = new Map<string, Waiter[]>();
  private current: WriteTurn | undefined;
  private timer: NodeJS.Timeout | undefined;
  private began = 0;
  private rivalsUntil = 0;

  constructor(private readonly emptied: () => void) {}

  enter(user: string): Promise<WriteTurn> {
    if (this.current === undefined) return Promise.resolve(this.begin(undefined, 0));
    return new Promise((resolve) => {
      const tooLong = setTimeout(() => {
        this.leave(user, waiter);
        resolve(WITHOUT_TURN);
      }, WAIT_MS).unref();
      const waiter: Waiter = {
        start: (newest) => {
          clearTimeout(tooLong);
          const now = performance.now();
          resolve(this.begin(newest, now < this.rivalsUntil ? Math.random() * (now - this.began) : 0));
        },
      };
      const others = this.waiting.get(user);
      if (others === undefined) this.waiting.set(user, [waiter]);
      else others.push(waiter);
    });
  }

  private begin(newest: Entry | undefined, pauseMs: number): WriteTurn {
    const isCurrent = (): boolean => this.current === turn;
    const turn: WriteTurn = {
      newest,
      pauseMs,
      get over() {
        return !isCurrent();
      },
      rivalled: () => {
        if (isCurrent()) this.rivalsUntil = performance.now() + RIVALS_MS;
      },
      end: (left) => {
        if (isCurrent()) this.next(left);
      },
    };
    this.current = turn;
    this.began = performance.now() + pauseMs;
    this.timer = setTimeout(() => turn.end(), TURN_MS).unref();
    return turn;
  }

  private next(newest: Entry | undefined): void {
    clearTimeout(this.timer);
    const first = this.waiting.entries().next();
    if (first.done === true) {
      this.current = undefined;
      return this.emptied();
    }
    const [user, waiters] = first.value;
    const waiter = waiters.shift()!;
    this.waiting.delete(user);
    if (waiters.length > 0) this.waiting.set(user, waiters);
    waiter.start(newest);
  }

  private leave(user: string, waiter: Waiter): void {
    const rest = (this.waiting.get(user) ?? []).filter((each) => each !== waiter);
    if (rest.length === 0) this.waiting.delete(user);
    else this.waiting.set(user, rest);
  }
}
