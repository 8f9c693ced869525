/** Requests that wait for slots, share by share, and within a share by turn. */
import type { Flow } from './shares.js';

export interface Waiter {
  readonly flow: Flow;
  readonly slots: number;
}

/** The waiting requests of a share, by turn, in the order of their turns. */
type Line<T> = Map<string, T[]>;

export class WaitingLines<T extends Waiter> {
  count = 0;
  /** In the order of their turns. */
  private readonly lines = new Map<string, Line<T>>();

  has(share: string): boolean {
    return this.lines.has(share);
  }

  add(waiter: T): void {
    const { share, turn } = waiter.flow;
    const line: Line<T> = this.lines.get(share) ?? new Map<string, T[]>();
    this.lines.set(share, line);
    const queue = line.get(turn) ?? [];
    line.set(turn, queue);
    queue.push(waiter);
    this.count += 1;
  }

  get shares(): number {
    return this.lines.size;
  }

  countOf(share: string): number {
    return lengthOf(this.lines.get(share));
  }

  /** The next one if all shares have used as much. */
  first(): T | undefined {
    const [line] = this.lines.values();
    const [queue] = line?.values() ?? [];
    return queue?.[0];
  }

  /** The first of each line. */
  *oldest(): Iterable<T> {
    for (const line of this.lines.values())
      for (const [first] of line.values()) if (first !== undefined) yield first;
  }

  /** The next one that `may` begin, of the share with the least `had`; among equal shares, in turn. */
  next(may: (waiter: T) => boolean, had: (share: string) => number): T | undefined {
    let next: T | undefined;
    let least = Infinity;
    for (const [share, line] of this.lines) {
      const already = had(share);
      if (already >= least) continue;
      const [[first] = []] = line.values();
      if (first !== undefined && may(first)) [next, least] = [first, already];
    }
    return next;
  }

  /** Removes one whose turn it was: the next turn is another's. */
  served(waiter: T): void {
    const { share, turn } = waiter.flow;
    const line = this.lines.get(share);
    const queue = line?.get(turn);
    this.remove(waiter);
    if (line === undefined || queue === undefined) return;
    if (line.delete(turn)) line.set(turn, queue);
    if (this.lines.delete(share)) this.lines.set(share, line);
  }

  remove(waiter: T): void {
    const { share, turn } = waiter.flow;
    const line = this.lines.get(share);
    const queue = line?.get(turn);
    const at = queue?.indexOf(waiter) ?? -1;
    if (line === undefined || queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.count -= 1;
    if (queue.length === 0) line.delete(turn);
    if (line.size === 0) this.lines.delete(share);
  }

  /** The newest one of the share with the most waiting and `used`; undefined if that would be `share`. */
  newestOfMost(share: string, used: (share: string) => number): T | undefined {
    const countOf = (name: string): number => lengthOf(this.lines.get(name)) + used(name);
    const most = longestOf(this.lines.keys(), countOf);
    if (most === undefined || countOf(most) <= countOf(share) + 1) return undefined;
    return longestOf(this.lines.get(most)?.values() ?? [], (queue) => queue.length)?.at(-1);
  }
}

function lengthOf(line: Line<unknown> | undefined): number {
  let length = 0;
  for (const queue of line?.values() ?? []) length += queue.length;
  return length;
}

function longestOf<T>(all: Iterable<T>, length: (one: T) => number): T | undefined {
  let longest: T | undefined;
  for (const one of all) if (longest === undefined || length(one) > length(longest)) longest = one;
  return longest;
}
