/** One write among others of the same object: when it waits, and with what it goes on when another one came first. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../cache/interface.js';
import type { ResourceStore, Stored } from './resourcestore.js';
import { entryOf, storeKey } from './resourcestore.js';
import type { WriteTurn } from './writequeues.js';

/** Losses to writers of other processes that are made good at once. */
const FREE_LOSSES = 8;
const LONGEST_PAUSE_MS = 64;

export interface Contender {
  readonly namespace: string;
  readonly name: string;
  /** Who writes; users take turns. */
  readonly user: string;
  /** Whether it stands in line: not a write of one version, which every other write makes stale. */
  readonly queues: boolean;
}

export class Contention {
  private turn: WriteTurn | undefined;
  private losses = 0;
  private readonly key: string;

  constructor(
    private readonly store: ResourceStore,
    private readonly contender: Contender,
  ) {
    this.key = storeKey(store, contender.namespace, contender.name);
  }

  /** Whether to wait with {@link enter} before the first attempt. */
  get mustWait(): boolean {
    return this.contender.queues && this.store.writeQueues.contended(this.key);
  }

  /** Waits for its turn. */
  async enter(): Promise<void> {
    this.turn = await this.store.writeQueues.enter(this.key, this.contender.user);
    if (this.turn.pauseMs > 0) await sleep(this.turn.pauseMs);
  }

  /** The newer of `live` and what the writer before left. */
  newer(live: Entry | undefined): Entry | undefined {
    const newest = this.turn?.newest;
    return live !== undefined && newest !== undefined && newest.revision > live.revision ? newest : live;
  }

  /** After another writer came first: waits for its turn, or, where it has that already, perhaps a random moment. */
  async lost(): Promise<void> {
    this.losses += 1;
    if (this.contender.queues && this.turn?.over !== false) return this.enter();
    this.turn?.rivalled();
    if (this.losses <= FREE_LOSSES) return;
    const longest = Math.min(2 ** (this.losses - FREE_LOSSES), LONGEST_PAUSE_MS);
    await sleep(Math.random() * longest);
  }

  /** Lets the next one go, from what was written in the place of `live` where that is what will be read. */
  end(live?: Entry, stored?: Stored): void {
    if (this.turn === undefined) return;
    const { namespace, name } = this.contender;
    const { foreign, strategy } = this.store;
    if (live === undefined || stored === undefined || stored.revision === live.revision)
      return this.turn.end(live);
    const asWritten = foreign !== true && strategy.privateState === undefined;
    this.turn.end(asWritten ? entryOf(namespace, name, stored.revision, stored.bytes) : undefined);
  }
}
