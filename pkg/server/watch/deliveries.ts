/** Schedules events of watches: after the answers of a turn, in slices, and together under load. */
import { soon } from '../../apimachinery/eventloop/turns.js';

export interface Delivery {
  /** Deliveries of one connection follow each other, so that its events of one turn are sent together. */
  readonly connection: number;
  deliver(): void;
}

/** Time after which other work gets its turn, in ms. */
const SLICE_MS = 2;
/**
 * After a round of this many, the next begins once the same time has passed, up to a limit in ms: for the connection
 * of a watcher a single event costs as much as several together, and answers to writes would wait for them.
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
  else soon(() => soon(begin));
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
    // A delivery that throws does not affect the others.
    spent += now - began;
    if (at < round.length) soon(slice);
    else over(now);
  }
}

function over(now: number): void {
  if (round.length >= MANY) pausedUntil = now + Math.min(spent, LONGEST_PAUSE_MS);
  round = [];
  armed = false;
  if (waiting.length > 0) arm();
}
