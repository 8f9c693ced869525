/** A timeout for what others do: the time in which this process is busy, or does not run, is not theirs. */

/** Time is counted in this many steps, so that one long halt of the process is a small part of it. */
const STEPS = 8;

/** What `performance` tells of the event loop, in ms. */
interface LoopTime {
  now(): number;
  eventLoopUtilization(): { readonly idle: number };
}

const { eventLoopUtilization } = performance;
const OWN_LOOP: LoopTime = { now: () => performance.now(), eventLoopUtilization };

/**
 * Calls `then` when the event loop has been idle for about `ms`, or after `longest` ms at the latest. Returns what ends
 * the timeout.
 */
export function afterIdle(
  { ms, longest }: { readonly ms: number; readonly longest: number },
  then: () => void,
  loop = OWN_LOOP,
): () => void {
  const stepMs = ms / STEPS;
  const end = loop.now() + longest;
  let left = ms;
  let idle: number | undefined;
  const step = (): void => {
    const before = idle;
    idle = loop.eventLoopUtilization().idle;
    // Few waits take as long as the first step, which is therefore counted without a look at the loop.
    left -= before === undefined ? stepMs : Math.min(stepMs, idle - before);
    if (left < 1 || loop.now() >= end) then();
    else timer = setTimeout(step, Math.min(stepMs, left));
  };
  let timer = setTimeout(step, stepMs);
  return () => clearTimeout(timer);
}
