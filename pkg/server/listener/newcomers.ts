/**
 * Node accepts one connection in a turn of the event loop (libuv since 1.46), in the order in which they came. So while they come, turns
 * are left to them: else a probe would wait for as many long turns as there are connections before its own.
 */
import { currentTurn, onEndOfTurn } from '../ticks.js';

/** Consecutive turns reserved for new connections, before one for everything else. */
const MAX_TURNS = 16;

export class Newcomers {
  private turn = -Infinity;
  /** Turns that were left to them since there was one for everything else. */
  private left = 0;

  /** Whether a connection arrived in this turn, so that other work is left for another turn. */
  get come(): boolean {
    return this.left > 0 && this.turn === currentTurn();
  }

  /** A connection was accepted. Answers whether none came in this turn and the one before. */
  came(): boolean {
    const turn = currentTurn();
    if (turn === this.turn) return false;
    const first = turn > this.turn + 1;
    if (first) this.left = 0;
    this.left = this.left === MAX_TURNS ? 0 : this.left + 1;
    this.turn = turn;
    onEndOfTurn(this);
    return first;
  }

  /** Turns are counted in which something was asked for: this one, and the next. */
  atEndOfTurn(): void {
    if (this.turn === currentTurn()) onEndOfTurn(this);
  }
}
