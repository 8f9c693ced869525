/** How far back history goes: which revision was the newest how long ago, and how many bytes ago. */
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/** At `at` (ms of a monotonic clock) `revision` was the newest, and `bytes` had been written since opening. */
interface Mark {
  readonly at: number;
  readonly revision: number;
  readonly bytes: number;
}

export interface RetentionLimits {
  /** History younger than this is kept, unless there is too much of it. */
  readonly seconds: number;
  /** Keys and values of writes beyond this are forgotten, oldest first. */
  readonly bytes: number;
}

/** Marks are this part of the limits apart: history is so much longer than its limits, at most. */
const STEP = 1 / 16;

export class Retention {
  #marks: Mark[];
  #bytes = 0;

  /**
   * @param saved what {@link save} answered before the store was closed. How long ago that was is taken from the
   *   wall clock; when that has gone back, the marks count as new.
   */
  constructor(
    private readonly limits: RetentionLimits,
    saved: string | undefined,
    private readonly now: () => number = () => performance.now(),
    private readonly wallClock: () => number = () => Date.now(),
  ) {
    const marks = saved === undefined ? [] : parseStored<{ time: number; revision: number }[]>(saved);
    const [at, time] = [now(), wallClock()];
    this.#marks = marks.map((mark) => ({
      at: at - Math.max(0, time - mark.time),
      revision: mark.revision,
      bytes: 0,
    }));
  }

  /** Counts what was written up to `revision`; answers whether a mark was added, which is then worth saving. */
  note(revision: number, bytes: number): boolean {
    this.#bytes += bytes;
    const last = this.#marks.at(-1);
    if (last !== undefined) {
      const soon = this.now() - last.at < this.limits.seconds * 1000 * STEP;
      if (last.revision >= revision || (soon && this.#bytes - last.bytes < this.limits.bytes * STEP))
        return false;
    }
    this.#marks.push({ at: this.now(), revision, bytes: this.#bytes });
    return true;
  }

  /** The newest revision that is past the limits, if any: everything before it may be forgotten. */
  expired(): number | undefined {
    const [at, bytes] = [this.now() - this.limits.seconds * 1000, this.#bytes - this.limits.bytes];
    let count = this.#marks.findIndex((mark) => mark.at > at && mark.bytes >= bytes);
    if (count === -1) count = this.#marks.length;
    return this.#marks.splice(0, count).at(-1)?.revision;
  }

  save(): string {
    const [at, time] = [this.now(), this.wallClock()];
    return JSON.stringify(
      this.#marks.map((mark) => ({ time: time - (at - mark.at), revision: mark.revision })),
    );
  }
}
