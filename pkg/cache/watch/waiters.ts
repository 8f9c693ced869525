/** Readers that wait until a revision is applied. */
import { afterIdle } from '../../apimachinery/eventloop/idletimeout.js';

/** In a process that is always busy a wait takes this many times its timeout. */
const LONGEST_SHARE = 4;

export interface Waiters {
  /** True once `reached(revision)` was called, false after `timeoutMs` of waiting for the store, or {@link Waiters.end}. */
  wait(revision: number, timeoutMs: number): Promise<boolean>;
  reached(revision: number): void;
  /** Resolves all waits with false, and later ones too. */
  end(): void;
}

interface Waiter {
  readonly revision: number;
  readonly answer: (reached: boolean) => void;
}

export function createWaiters(): Waiters {
  /** By revision, ascending. */
  let waiting: Waiter[] = [];
  let ended = false;

  function insert(waiter: Waiter): void {
    let at = waiting.length;
    while (at > 0 && waiting[at - 1]!.revision > waiter.revision) at -= 1;
    waiting.splice(at, 0, waiter);
  }

  function remove(waiter: Waiter): void {
    const at = waiting.indexOf(waiter);
    if (at >= 0) waiting.splice(at, 1);
  }

  return {
    wait(revision, timeoutMs) {
      if (ended || timeoutMs <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const time = { ms: timeoutMs, longest: LONGEST_SHARE * timeoutMs };
        const ends = afterIdle(time, () => {
          remove(waiter);
          resolve(false);
        });
        const waiter: Waiter = {
          revision,
          answer: (reached) => {
            ends();
            resolve(reached);
          },
        };
        insert(waiter);
      });
    },
    reached(revision) {
      let count = 0;
      while (count < waiting.length && waiting[count]!.revision <= revision) count += 1;
      if (count === 0) return;
      for (const waiter of waiting.splice(0, count)) waiter.answer(true);
    },
    end() {
      ended = true;
      const all = waiting;
      waiting = [];
      for (const waiter of all) waiter.answer(false);
    },
  };
}
