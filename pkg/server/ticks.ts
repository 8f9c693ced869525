/** Work that is done once at the end of a turn of the event loop, however often it was asked for in it. */
import { soon } from '../apimachinery/eventloop/turns.js';

export interface EndOfTurn {
  atEndOfTurn(): void;
}

let waiting: EndOfTurn[] = [];
let turn = 0;

/** The number of this turn, of those at whose end there was work. */
export const currentTurn = (): number => turn;

/** Calls `work.atEndOfTurn()` once everything that is ready now has run. Ask once a turn. */
export function onEndOfTurn(work: EndOfTurn): void {
  if (waiting.push(work) === 1) soon(runAll);
}

function runAll(): void {
  const works = waiting;
  waiting = [];
  try {
    for (const work of works) work.atEndOfTurn();
  } finally {
    turn += 1;
  }
}
