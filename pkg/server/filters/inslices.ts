/** Much work of little worth: a part of each turn of the event loop, and no more. */
import { onEndOfTurn } from '../ticks.js';

export interface SliceOptions {
  /** Pieces that are done in one turn. */
  readonly aTurn: number;
  /** Queue length, and queue timeout in ms; beyond either, tasks run at once. */
  readonly queueLength: number;
  readonly timeoutMs: number;
  /** ms of a clock that only grows. */
  readonly now: () => number;
}

interface Piece {
  readonly since: number;
  readonly work: () => void;
}

export class InSlices {
  private readonly options: SliceOptions;
  private pieces: Piece[] = [];
  private next = 0;

  constructor(options: SliceOptions) {
    this.options = options;
  }

  get waiting(): number {
    return this.pieces.length - this.next;
  }

  add(work: () => void): void {
    if (this.waiting >= this.options.queueLength) return work();
    if (this.pieces.push({ since: this.options.now(), work }) === 1) onEndOfTurn(this);
  }

  atEndOfTurn(): void {
    const { aTurn, timeoutMs, now } = this.options;
    const latest = now() - timeoutMs;
    try {
      for (let done = 0; ; done += 1) {
        const piece = this.pieces[this.next];
        if (piece === undefined || (done >= aTurn && piece.since > latest)) break;
        this.next += 1;
        piece.work();
      }
    } finally {
      if (this.next > this.pieces.length / 2) {
        this.pieces = this.pieces.slice(this.next);
        this.next = 0;
      }
      if (this.pieces.length > 0) onEndOfTurn(this);
    }
  }
}
