import type { ExchangeEnd } from '../exchangeend.js';

/** So many at a time; who must wait is let in in turns, user by user, however many one user sends. */

/** Thrown, or what a wait rejects with: there is no seat, and no place to wait for one. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** What a request that waits with its client is told of: who is gone leaves the line. */
export type Leaving = Pick<ExchangeEnd, 'after' | 'forget'>;

/** Gives a seat back; further calls do nothing. */
export type Leave = () => void;

export interface FairSeats {
  /** Takes `seats` at once where they are free, else when it is the user's turn. Throws or rejects: {@link Overloaded}. */
  enter(user: string, seats: number, end?: Leaving): Leave | Promise<Leave>;
  /** Seats that are taken now, and requests that wait. */
  counts(): { readonly taken: number; readonly waiting: number };
}

export interface FairSeatsOptions {
  /** 0: any number. */
  readonly limit: number;
  /** So many may wait; past it those of whoever has most waiting are turned away. */
  readonly places: number;
  readonly patienceMs: number;
}

interface Waiter {
  readonly seats: number;
  readonly grant: (leave: Leave) => void;
  readonly refuse: () => void;
}

export function fairSeats({ limit, places, patienceMs }: FairSeatsOptions): FairSeats {
  /** In the order of their turns. */
  const queues = new Map<string, Waiter[]>();
  let used = 0;
  let waiting = 0;

  function take(seats: number): Leave {
    used += seats;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      used -= seats;
      admit();
    };
  }

  /** A big request at the head waits for its seats, and nobody passes it: it would wait for ever. */
  function admit(): void {
    for (;;) {
      const [first] = queues;
      if (first === undefined) return;
      const [user, queue] = first;
      const waiter = queue[0] as Waiter;
      if (used + waiter.seats > limit) return;
      remove(user, queue, waiter);
      if (queues.delete(user)) queues.set(user, queue);
      waiter.grant(take(waiter.seats));
    }
  }

  function remove(user: string, queue: Waiter[], waiter: Waiter): void {
    queue.splice(queue.indexOf(waiter), 1);
    waiting -= 1;
    if (queue.length === 0) queues.delete(user);
  }

  function makePlace(user: string): void {
    if (waiting < places) return;
    let longest: [string, Waiter[]] | undefined;
    for (const entry of queues) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    const own = queues.get(user)?.length ?? 0;
    if (longest === undefined || longest[1].length <= own + 1) throw new Overloaded();
    const newest = longest[1].at(-1) as Waiter;
    remove(...longest, newest);
    newest.refuse();
  }

  function wait(user: string, seats: number, end: Leaving | undefined): Promise<Leave> {
    const queue = queues.get(user) ?? [];
    queues.set(user, queue);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        remove(user, queue, waiter);
        waiter.refuse();
        admit();
      };
      const timer = setTimeout(giveUp, patienceMs).unref();
      const settle = (): void => {
        clearTimeout(timer);
        end?.forget(giveUp);
      };
      const waiter: Waiter = {
        seats,
        grant(leave) {
          settle();
          resolve(leave);
        },
        refuse() {
          settle();
          reject(new Overloaded());
        },
      };
      queue.push(waiter);
      waiting += 1;
      end?.after(giveUp);
    });
  }

  return {
    enter(user, wanted, end) {
      const seats = limit === 0 ? wanted : Math.min(wanted, limit);
      if (limit === 0) return take(seats);
      if (queues.size === 0 && used + seats <= limit) return take(seats);
      makePlace(user);
      return wait(user, seats, end);
    },
    counts: () => ({ taken: used, waiting }),
  };
}
