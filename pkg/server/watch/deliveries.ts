/** When watches send what they have: after the answers of a turn, in slices, and together where there is much. */

export interface Delivery {
  /** Deliveries of one connection follow each other: what it gets in one turn leaves together. */
  readonly connection: number;
  deliver(): void;
}

/** Other work gets its turn after so long, in ms. */
const SLICE_MS = 2;
/**
 * After a round of so many, the next begins when as much time went by as it took, up to so long, in ms: a piece costs a
 * watcher's connection what several together cost, and answers to writes would wait for them.
 */
const MANY = 32;
const LONGEST_PAUSE_MS = 8;
/** Timers know no less, in ms. */
const LEAST_PAUSE_MS = 1;

let waiting: Delivery[] = [];
let round: Delivery[] = [];
let at = 0;
let spent = 0;
let pausedUntil = 0;
let armed = false;

/** Calls `delivery.deliver()` soon. Ask once until it was called. */
export function deliverSoon(delivery: Delivery): void {
  waiting.push(delivery);
  if (!armed) arm();
}

function arm(): void {
  armed = true;
  const pause = pausedUntil - performance.now();
  if (pause >= LEAST_PAUSE_MS) setTimeout(begin, pause);
  // Answers of this turn leave at its end.
  else setImmediate(() => setImmediate(begin));
}

function begin(): void {
  round = waiting;
  waiting = [];
  // Within a connection in the order in which they were asked for.
  if (round.length >= MANY) round.sort((one, other) => one.connection - other.connection);
  at = 0;
  spent = 0;
  slice();
}

function slice(): void {
  const began = performance.now();
  let now = began;
  try {
    while (at < round.length && now - began < SLICE_MS) {
      const delivery = round[at]!;
      at += 1;
      delivery.deliver();
      now = performance.now();
    }
  } finally {
    // One that throws is the only one that it is told of.
    spent += now - began;
    if (at < round.length) setImmediate(slice);
    else over(now);
  }
}

function over(now: number): void {
  if (round.length >= MANY) pausedUntil = now + Math.min(spent, LONGEST_PAUSE_MS);
  round = [];
  armed = false;
  if (waiting.length > 0) arm();
}
