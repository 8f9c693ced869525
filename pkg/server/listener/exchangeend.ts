import { NOWHERE } from '../../apimachinery/unorderedset.js';
import type { Member } from '../../apimachinery/unorderedset.js';

/**
 * The end of an exchange: its answer was sent whole, or never will be. Whoever accepts connections tells it, once, on
 * every way that a request can go; what is to be given back then waits for it here and nowhere else.
 */
export class ExchangeEnd implements Member {
  place = NOWHERE;
  /** Whether the answer goes on for as long as its client likes: a watch. */
  lasting = false;
  /** Ends it in order where that can be, so that the client comes again later. */
  giveUp: () => void;
  #over = false;
  #tasks: (() => void)[] = [];

  /**
   * `cut`: breaks it off. `awaitsClient`: undefined while the server works on the answer; where it waits for the client
   * to take some of it, a number that changes with what was taken.
   */
  constructor(
    readonly cut: () => void,
    readonly awaitsClient: () => number | undefined = () => undefined,
  ) {
    this.giveUp = cut;
  }

  /** Whether nothing more can be sent. */
  get over(): boolean {
    return this.#over;
  }

  /** Runs `task` when the exchange is over; now, where it is. Tasks run in the order in which they came. */
  after(task: () => void): void {
    if (this.#over) task();
    else this.#tasks.push(task);
  }

  /** Takes back what {@link after} was asked for. */
  forget(task: () => void): void {
    const at = this.#tasks.indexOf(task);
    if (at >= 0) this.#tasks.splice(at, 1);
  }

  /** For who accepts connections alone. Further calls do nothing. */
  finish(): void {
    if (this.#over) return;
    this.#over = true;
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }
}
