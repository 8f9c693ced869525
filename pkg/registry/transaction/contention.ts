/** One write among others of the same object: when it waits, and with what it goes on when another one came first. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../cache/interface.js';
import type { WriteQueues, WriteTurn } from './writequeues.js';

/** Losses that are made good at once: to writers of other processes, or to what else a transaction rests on. */
const FREE_LOSSES = 8;
const LONGEST_PAUSE_MS = 64;

export class Contention {
  private turn: WriteTurn | undefined;
  private losses = 0;

  /** @param key of the object; undefined: the write never stands in line */
  constructor(
    private readonly queues: WriteQueues,
    private readonly key: string | undefined,
    private readonly user: string,
  ) {}

  /** Whether to wait with {@link enter} before the first attempt. */
  get mustWait(): boolean {
    return this.key !== undefined && this.queues.contended(this.key);
  }

  /** Whether others may wait for this write to end. */
  get inTurn(): boolean {
    return this.turn !== undefined;
  }

  /** Waits for its turn. */
  async enter(): Promise<void> {
    if (this.key === undefined) return;
    this.turn = await this.queues.enter(this.key, this.user);
    if (this.turn.pauseMs > 0) await sleep(this.turn.pauseMs);
  }

  /** The newer of `live` and what the writer before left. */
  newer(live: Entry | undefined): Entry | undefined {
    const newest = this.turn?.newest;
    return live !== undefined && newest !== undefined && newest.revision > live.revision ? newest : live;
  }

  /**
   * After another writer came first: waits for its turn, or, where it has that already, perhaps a random moment.
   * @param own whether that was at the object itself, and not at what belongs to it
   */
  async lost(own: boolean): Promise<void> {
    this.losses += 1;
    if (own) {
      if (this.key !== undefined && this.turn?.over !== false) return this.enter();
      this.turn?.rivalled();
    }
    if (this.losses <= FREE_LOSSES) return;
    const longest = Math.min(2 ** (this.losses - FREE_LOSSES), LONGEST_PAUSE_MS);
    await sleep(Math.random() * longest);
  }

  /** Lets the next one go; `newest`: the object as it is now, if it is known. Only the first call counts. */
  end(newest?: Entry): void {
    this.turn?.end(newest);
  }
}
