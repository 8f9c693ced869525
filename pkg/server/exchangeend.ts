import { NOWHERE, type Member } from '../apimachinery/unorderedset.js';

/**
 * The end of an exchange: its answer was sent completely, or never will be. The listener reports it exactly once,
 * whatever the outcome; cleanup waits for it here and nowhere else.
 */
export class ExchangeEnd implements Member {
  place = NOWHERE;
  /** Whether the exchange is long-running: a watch. */
  lasting = false;
  /** Ends it in order where that can be, so that the client comes again later. */
  giveUp: () => void;
  private isOver = false;
  private tasks: (() => void)[] = [];

  /**
   * `cut`: aborts it. `awaitsClient`: undefined while the server works on the answer; while it waits for the client to
   * read, a number that changes with progress.
   */
  constructor(
    readonly cut: () => void,
    readonly awaitsClient: () => number | undefined = () => undefined,
  ) {
    this.giveUp = cut;
  }

  /** Whether nothing more can be sent. */
  get over(): boolean {
    return this.isOver;
  }

  /** Runs `task` when the exchange ends, or now if it has ended. Tasks run in order. */
  after(task: () => void): void {
    if (this.isOver) task();
    else this.tasks.push(task);
  }

  /** Removes a task of {@link after}. */
  forget(task: () => void): void {
    const at = this.tasks.indexOf(task);
    if (at >= 0) this.tasks.splice(at, 1);
  }

  /** For the listener alone. Further calls do nothing. */
  finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    const tasks = this.tasks;
    this.tasks = [];
    for (const task of tasks) task();
  }
}
