/** So many at a time, and no share more than its part; who must wait is let in in turns, share by share. */
import type { ExchangeEnd } from '../../listener/exchangeend.js';
import type { Flow } from './shares.js';
import { mostOf } from './shares.js';

/** Thrown, or what a wait rejects with: there is no slot, and no place to wait for one. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** What a request that waits with its client is told of: who is gone leaves the line. */
export type Leaving = Pick<ExchangeEnd, 'after' | 'forget'>;

/** Gives slots back; further calls do nothing. */
export type Release = () => void;

export interface SlotCount {
  readonly taken: number;
  readonly waiting: number;
}

export interface FairSlots {
  /** Takes slots at once where they are free, else when it is the share's turn. Throws or rejects: {@link Overloaded}. */
  enter(flow: Flow, slots: number, end?: Leaving): Release | Promise<Release>;
  counts(): SlotCount;
}

export interface FairSlotsOptions {
  /** 0: any number. */
  readonly limit: number;
  /** So many may wait; past it those of whoever has most waiting are turned away. */
  readonly places: number;
  readonly patienceMs: number;
}

interface Waiter {
  readonly flow: Flow;
  readonly slots: number;
  readonly grant: (release: Release) => void;
  readonly refuse: () => void;
}

/** Those of a share that wait, by turn, in the order of their turns. */
type Line = Map<string, Waiter[]>;

export function fairSlots({ limit, places, patienceMs }: FairSlotsOptions): FairSlots {
  /** In the order of their turns. */
  const lines = new Map<string, Line>();
  const used = new Map<string, number>();
  let taken = 0;
  let waiting = 0;

  function take({ share }: Flow, slots: number): Release {
    taken += slots;
    used.set(share, (used.get(share) ?? 0) + slots);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      taken -= slots;
      const rest = (used.get(share) ?? slots) - slots;
      if (rest === 0) used.delete(share);
      else used.set(share, rest);
      if (waiting > 0) admit();
    };
  }

  const hasPart = (flow: Flow, slots: number): boolean =>
    (used.get(flow.share) ?? 0) + slots <= mostOf(limit, flow);

  /** The next that may go on by its share. */
  function nextInTurn(): Waiter | undefined {
    for (const line of lines.values()) {
      const [[first] = []] = line.values();
      if (first !== undefined && hasPart(first.flow, first.slots)) return first;
    }
    return undefined;
  }

  /** A big request whose turn it is waits for its slots, and nobody passes it: it would wait for ever. */
  function admit(): void {
    for (;;) {
      const waiter = nextInTurn();
      if (waiter === undefined || taken + waiter.slots > limit) return;
      const { share, turn } = waiter.flow;
      const line = lines.get(share) as Line;
      const queue = line.get(turn) as Waiter[];
      remove(waiter);
      if (line.delete(turn)) line.set(turn, queue);
      if (lines.delete(share)) lines.set(share, line);
      waiter.grant(take(waiter.flow, waiter.slots));
    }
  }

  function remove(waiter: Waiter): void {
    const { share, turn } = waiter.flow;
    const line = lines.get(share);
    const queue = line?.get(turn);
    const at = queue?.indexOf(waiter) ?? -1;
    if (line === undefined || queue === undefined || at < 0) return;
    queue.splice(at, 1);
    waiting -= 1;
    if (queue.length === 0) line.delete(turn);
    if (line.size === 0) lines.delete(share);
  }

  function makePlace({ share }: Flow): void {
    if (waiting < places) return;
    const own = lengthOf(lines.get(share));
    const longest = longestOf(lines.values(), lengthOf);
    if (longest === undefined || lengthOf(longest) <= own + 1) throw new Overloaded();
    const newest = longestOf(longest.values(), (queue) => queue.length)?.at(-1) as Waiter;
    remove(newest);
    newest.refuse();
  }

  function wait(flow: Flow, slots: number, end: Leaving | undefined): Promise<Release> {
    const line: Line = lines.get(flow.share) ?? new Map<string, Waiter[]>();
    lines.set(flow.share, line);
    const queue = line.get(flow.turn) ?? [];
    line.set(flow.turn, queue);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        remove(waiter);
        waiter.refuse();
        admit();
      };
      const timer = setTimeout(giveUp, patienceMs).unref();
      const settle = (): void => {
        clearTimeout(timer);
        end?.forget(giveUp);
      };
      const waiter: Waiter = {
        flow,
        slots,
        grant(release) {
          settle();
          resolve(release);
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
    enter(flow, wanted, end) {
      if (limit === 0) return take(flow, wanted);
      const slots = Math.min(wanted, mostOf(limit, flow));
      const passesNobody = waiting === 0 || (!lines.has(flow.share) && nextInTurn() === undefined);
      if (passesNobody && taken + slots <= limit && hasPart(flow, slots)) return take(flow, slots);
      makePlace(flow);
      return wait(flow, slots, end);
    },
    counts: () => ({ taken, waiting }),
  };
}

function lengthOf(line: Line | undefined): number {
  let length = 0;
  for (const queue of line?.values() ?? []) length += queue.length;
  return length;
}

function longestOf<T>(all: Iterable<T>, length: (one: T) => number): T | undefined {
  let longest: T | undefined;
  for (const one of all) if (longest === undefined || length(one) > length(longest)) longest = one;
  return longest;
}
