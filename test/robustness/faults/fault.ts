/** Injects faults, one after the other in each lane, at random times. */
import type { FaultRecord, History } from '../history/history.js';

/** What a fault can use. */
export interface Strike {
  readonly random: () => number;
  /** The history, in which a fault may record what servers return, for the judges. */
  readonly history: History;
  /** Records an error of the system. */
  disorder(text: string): void;
}

export interface Fault {
  readonly kind: string;
  /** Only one fault of a lane is active at a time; lanes are independent. */
  readonly lane: string;
  /**
   * Injects the fault. Resolves when the system is repaired, with a description. Rejects with {@link NotDone} if
   * nothing was injected.
   */
  strike(strike: Strike): Promise<string>;
}

/** A fault could not be injected, and the system is unchanged. This is reported, and does not count. */
export class NotDone extends Error {}

export interface FaultSchedule {
  readonly faults: readonly Fault[];
  readonly history: History;
  /** The random numbers of a lane. */
  readonly random: (lane: string) => () => number;
  readonly isOver: () => boolean;
}

/**
 * The minimum number of responses between the end of a fault and the next one, however slow the machine is, unless this
 * takes too long.
 */
const LEAST_ANSWERS = 60;
const MAX_WAIT_MS = 10_000;
/** The minimum time between the end of a fault and the next one, in ms. */
const LEAST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 2_500;
const STEP_MS = 50;

/** Resolves when the run is over and the system is repaired. */
export async function strikeAtRandom({ faults, history, random, isOver }: FaultSchedule): Promise<void> {
  const began = performance.now();
  const lanes = [...new Set(faults.map(({ lane }) => lane))];
  const run = async (lane: string): Promise<void> => {
    const numbers = random(lane);
    const own = faults.filter((fault) => fault.lane === lane);
    for (;;) {
      const mended = performance.now();
      const until = mended + LEAST_PAUSE_MS + numbers() * (MAX_PAUSE_MS - LEAST_PAUSE_MS);
      const enough = history.answered + LEAST_ANSWERS;
      const isQuiet = (): boolean => history.answered < enough && performance.now() < mended + MAX_WAIT_MS;
      while (!isOver() && (performance.now() < until || isQuiet())) await delay(STEP_MS);
      if (isOver()) return;
      const fault = own[Math.floor(numbers() * own.length)] as Fault;
      const at = Math.round(performance.now() - began);
      const disorder = (text: string): void => void history.disorders.push(`${fault.kind}: ${text}`);
      const struck = await strikeOnce(fault, { random: numbers, history, disorder });
      history.faults.push({ kind: fault.kind, at, ...struck });
    }
  };
  await Promise.all(lanes.map(run));
}

async function strikeOnce(fault: Fault, strike: Strike): Promise<Pick<FaultRecord, 'detail' | 'done'>> {
  try {
    return { detail: await fault.strike(strike), done: true };
  } catch (error) {
    if (error instanceof NotDone) return { detail: error.message, done: false };
    throw error;
  }
}

export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
