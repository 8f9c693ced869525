/** Faults that strike one after the other in each lane, at random moments. */
import type { FaultRecord, History } from '../history/history.js';

/** What a fault may use. */
export interface Strike {
  readonly random: () => number;
  /** Where what servers tell is recorded, for the judges. */
  readonly history: History;
  /** Notes what should not be. */
  disorder(text: string): void;
}

export interface Fault {
  readonly kind: string;
  /** Of the faults of a lane one strikes at a time; lanes do not wait for each other. */
  readonly lane: string;
  /** Strikes, and resolves when all is mended, with what is worth telling. Rejects with {@link NotDone} where nothing happened. */
  strike(strike: Strike): Promise<string>;
}

/** A fault could not be made: nothing happened to the system. It is told, and does not count. */
export class NotDone extends Error {}

export interface FaultSchedule {
  readonly faults: readonly Fault[];
  readonly history: History;
  /** Of a lane. */
  readonly random: (lane: string) => () => number;
  readonly isOver: () => boolean;
}

/** So much is answered between the end of a fault and the next one, however slow the machine is, unless it takes too long. */
const LEAST_ANSWERS = 60;
const MAX_WAIT_MS = 10_000;
/** Between the end of a fault and the next one, in ms. */
const LEAST_PAUSE_MS = 300;
const MAX_PAUSE_MS = 2_500;
const STEP_MS = 50;

/** Resolves when the run is over and all is mended. */
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
