import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a row goes on: whichever bound is met first ends it. */
export interface Bounds {
  readonly operations: number;
  readonly seconds: number;
}

export interface Load {
  readonly operations: number;
  readonly seconds: number;
  /** Of every operation, in milliseconds, ascending. */
  readonly latencies: readonly number[];
  /** Of all answers together. */
  readonly bytes: number;
}

/** One operation; gives the bytes of its answer. `index` counts operations, `worker` is below the workers' count. */
export type Operation = (index: number, worker: number) => Promise<number>;

/** Runs `operate` from `workers` at a time, each beginning its next when its last is answered. */
export async function applyLoad(workers: number, bounds: Bounds, operate: Operation): Promise<Load> {
  const latencies: number[] = [];
  const begun = performance.now();
  const end = begun + bounds.seconds * 1000;
  let next = 0;
  let bytes = 0;
  const work = async (worker: number): Promise<void> => {
    while (next < bounds.operations && performance.now() < end) {
      const index = next++;
      const before = performance.now();
      const size = await operate(index, worker); // not `bytes +=`: others add to it meanwhile
      bytes += size;
      latencies.push(performance.now() - before);
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  return { operations: latencies.length, seconds, latencies, bytes };
}

/**
 * The same at a pace: an operation begins every `pause` ms, whatever became of those before. 0: `workers` at a time, as fast as they
 * are answered.
 */
export function applyPaced(
  workers: number,
  pause: number,
  bounds: Bounds,
  operate: Operation,
): Promise<Load> {
  if (pause === 0) return applyLoad(workers, bounds, operate);
  const begun = performance.now();
  return applyLoad(bounds.operations, bounds, async (index, worker) => {
    await sleep(Math.max(0, begun + index * pause - performance.now()));
    return operate(index, worker);
  });
}

/** The value below which `share` (0 to 1) of ascending values lie; 0 of none. */
export function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? 0;
}
