/**
 * Queues of writers of one object. Writers that conflict, and those that arrive while others queue, take turns;
 * otherwise the slowest of many writers would never succeed. Users take turns, so that many writes of one user do not
 * delay the single write of another. Nothing is locked: a writer that exceeds its turn, or waits too long, continues
 * concurrently, and the store's preconditions decide.
 */
import type { Entry } from '../../cache/interface.js';

/** The length of a turn; then the next writer starts concurrently. */
const TURN_MS = 1_000;
/** The longest wait for a turn. */
const WAIT_MS = 4_000;
/** How long a process yields to others after a conflict with one of them. */
const RIVALS_MS = 1_000;

export interface WriteTurn {
  /** The object after the previous turn, if it is known and may be newer than the cache. */
  readonly newest: Entry | undefined;
  /** The pause before the write, in which other processes can write. */
  readonly pauseMs: number;
  /** Whether the turn is over: it timed out, or it never began in time. */
  readonly over: boolean;
  /** Reports a conflict with another process. */
  rivalled(): void;
  /** Starts the next writer. `newest`: the current object, if known. Only the first call counts. */
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

/** The queues of one process; objects without contention have none. */
export class WriteQueues {
  private readonly queues = new Map<string, WriteQueue>();

  /** Whether the object of `key` has a queue, which new writers should join. */
  contended(key: string): boolean {
    return this.queues.has(key);
  }

  /** Resolves at the turn of `user`, or after {@link WAIT_MS}. Never rejects. */
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
  /** In the order of the users' turns. */
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
