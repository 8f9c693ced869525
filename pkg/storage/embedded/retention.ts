/** Retention of history, by age and by bytes: records the newest revision over time. */
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

/**
 * At `at` (ms of a monotonic clock) `revision` was the newest, and `bytes` had been written since opening.
 */
interface Mark {
  readonly at: number;
  readonly revision: number;
  readonly bytes: number;
}

export interface RetentionLimits {
  /** History younger than this is kept, unless there is too much of it. */
  readonly seconds: number;
  /** The oldest writes are removed when keys and values exceed this size. */
  readonly bytes: number;
}

/** The distance between marks as a part of the limits, by which history may exceed them. */
const STEP = 1 / 16;

export class Retention {
  private marks: Mark[];
  private bytes = 0;

  /**
   * @param saved the result of {@link save} before the store was closed. Its age is taken from the wall
   *   clock; if that went back, the marks count as new.
   */
  constructor(
    private readonly limits: RetentionLimits,
    saved: string | undefined,
    private readonly now: () => number = () => performance.now(),
    private readonly wallClock: () => number = () => Date.now(),
  ) {
    const marks = saved === undefined ? [] : parseStored<{ time: number; revision: number }[]>(saved);
    const [at, time] = [now(), wallClock()];
    this.marks = marks.map((mark) => ({
      at: at - Math.max(0, time - mark.time),
      revision: mark.revision,
      bytes: 0,
    }));
  }

  /** Counts the bytes written up to `revision`; returns whether a mark was added, which should be saved. */
  note(revision: number, bytes: number): boolean {
    this.bytes += bytes;
    const last = this.marks.at(-1);
    if (last !== undefined) {
      const soon = this.now() - last.at < this.limits.seconds * 1000 * STEP;
      if (last.revision >= revision || (soon && this.bytes - last.bytes < this.limits.bytes * STEP))
        return false;
    }
    this.marks.push({ at: this.now(), revision, bytes: this.bytes });
    return true;
  }

  /** The newest revision past the limits, if any: everything before it may be removed. */
  expired(): number | undefined {
    const [at, bytes] = [this.now() - this.limits.seconds * 1000, this.bytes - this.limits.bytes];
    let count = this.marks.findIndex((mark) => mark.at > at && mark.bytes >= bytes);
    if (count === -1) count = this.marks.length;
    return this.marks.splice(0, count).at(-1)?.revision;
  }

  save(): string {
    const [at, time] = [this.now(), this.wallClock()];
    return JSON.stringify(
      this.marks.map((mark) => ({ time: time - (at - mark.at), revision: mark.revision })),
    );
  }
}
