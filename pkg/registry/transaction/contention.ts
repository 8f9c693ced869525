/** One write that contends with others for an object: it waits for its turn, and retries from the newest known state. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../cache/interface.js';
import type { WriteQueues, WriteTurn } from './writequeues.js';

/** Conflicts with other processes, or at other keys, that are retried without a pause. */
const FREE_LOSSES = 8;
const LONGEST_PAUSE_MS = 64;

export class Contention {
  private turn: WriteTurn | undefined;
  /** At the record of a rule, such as that of a limit, which writers of different objects contend for. */
  private ruleTurn: WriteTurn | undefined;
  private losses = 0;

  /**
   * @param key the object's key; undefined: the write does not queue
   */
  constructor(
    private readonly queues: WriteQueues,
    private readonly key: string | undefined,
    private readonly user: string,
  ) {}

  /** Whether to call {@link enter} before the first attempt. */
  get mustWait(): boolean {
    return this.key !== undefined && this.queues.contended(this.key);
  }

  /** Whether others may wait for this write to end. */
  get inTurn(): boolean {
    return this.turn !== undefined;
  }

  /** Waits for the turn of this write. */
  async enter(): Promise<void> {
    if (this.key === undefined) return;
    this.turn = await this.queues.enter(this.key, this.user);
    if (this.turn.pauseMs > 0) await sleep(this.turn.pauseMs);
  }

  /** The newer of `live` and the object that the previous writer left. */
  newer(live: Entry | undefined): Entry | undefined {
    const newest = this.turn?.newest;
    return live !== undefined && newest !== undefined && newest.revision > live.revision ? newest : live;
  }

  /**
   * After a conflict: waits for its turn or, if it has the turn, for a random pause once conflicts repeat.
   * @param own whether the conflict was at the object itself
   * @param at the key of the conflict
   */
  async lost(own: boolean, at: string): Promise<void> {
    this.losses += 1;
    if (own) {
      if (this.key !== undefined && this.turn?.over !== false) return this.enter();
      this.turn?.rivalled();
    } else if (this.ruleTurn?.over !== false) {
      this.ruleTurn = await this.queues.enter(at, this.user);
      if (this.ruleTurn.pauseMs > 0) await sleep(this.ruleTurn.pauseMs);
      return;
    } else this.ruleTurn.rivalled();
    if (this.losses <= FREE_LOSSES) return;
    const longest = Math.min(2 ** (this.losses - FREE_LOSSES), LONGEST_PAUSE_MS);
    await sleep(Math.random() * longest);
  }

  /** Starts the next writer. `newest`: the current object, if known. Only the first call counts. */
  end(newest?: Entry): void {
    this.turn?.end(newest);
    this.ruleTurn?.end();
  }
}
