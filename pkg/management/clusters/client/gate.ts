/** Requests to a cluster that does not answer: one at a time, with back-off. */
import { StatusError } from '../../../apimachinery/errors.js';
import { AnswerTooLarge } from './interface.js';

/** The delay after the second failure in a row; it doubles with each further one. */
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/**
 * A cluster is asked by one request at a time until it has answered, and again after it did not. Others wait for
 * that one, or fail with its error while the back-off lasts, so that a cluster that hangs holds up one request.
 */
export class Gate {
  private open = false;
  private failures = 0;
  private until = 0;
  private error: StatusError | undefined;
  private asking: Promise<unknown> | undefined;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** `ask` rejects with StatusError 504 if there was no answer. */
  async pass<T>(ask: () => Promise<T>): Promise<T> {
    while (!this.open) {
      if (this.error !== undefined && this.now() < this.until) throw this.error;
      if (this.asking === undefined) return this.alone(ask);
      await this.asking;
    }
    return this.attempt(ask, false);
  }

  private alone<T>(ask: () => Promise<T>): Promise<T> {
    const attempt = this.attempt(ask, true);
    this.asking = attempt
      .catch(() => undefined)
      .then(() => {
        this.asking = undefined;
      });
    return attempt;
  }

  private async attempt<T>(ask: () => Promise<T>, alone: boolean): Promise<T> {
    try {
      const answer = await ask();
      [this.open, this.failures, this.until, this.error] = [true, 0, 0, undefined];
      return answer;
    } catch (error) {
      const noAnswer =
        error instanceof StatusError && error.code === 504 && !(error instanceof AnswerTooLarge);
      // Requests that were sent together fail together: these count once.
      if (noAnswer && (alone || this.open)) this.failed(error);
      throw error;
    }
  }

  private failed(error: StatusError): void {
    this.failures += 1;
    this.open = false;
    this.error = error;
    const further = this.failures - 2;
    this.until = further < 0 ? 0 : this.now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** further);
  }
}
