import { setTimeout as sleep } from 'node:timers/promises';

/** A piece of work that writes, by calls of `write`. Rejects when something is wrong. */
export type Job = () => Promise<void>;

/** Lets writes begin at a steady rate, however long each takes. */
export interface Pace {
  /** Resolves when the next write may begin. */
  turn(): Promise<void>;
  /** Lets all that wait go on. */
  end(): void;
}

const TICK_MS = 20;
/** After a stall, no more than this many seconds' writes are made up for. */
const BURST_SECONDS = 1;

export function createPace(rate: number): Pace {
  const waiting: (() => void)[] = [];
  let allowed = 0;
  let over = false;
  const run = async (): Promise<void> => {
    let last = performance.now();
    while (!over) {
      await sleep(TICK_MS);
      const now = performance.now();
      allowed = Math.min(allowed + (rate * (now - last)) / 1000, rate * BURST_SECONDS);
      last = now;
      while (allowed >= 1 && waiting.length > 0) {
        allowed -= 1;
        waiting.shift()?.();
      }
    }
    for (const go of waiting.splice(0)) go();
  };
  void run();
  return {
    turn: () => (over ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    end: () => (over = true),
  };
}

/** Does jobs from `workers` at a time until `isOver`; each picks its next when its last is done. */
export async function work(workers: number, isOver: () => boolean, pick: () => Job): Promise<void> {
  const one = async (): Promise<void> => {
    while (!isOver()) await pick()();
  };
  await Promise.all(Array.from({ length: workers }, one));
}
