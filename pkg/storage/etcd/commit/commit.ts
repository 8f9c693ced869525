/** The queue of commits, which groups those that wait together. */
import {
  StorageError,
  MAX_COMMIT_WRITES,
  type CommitResult,
  type Guard,
  type StorageFailure,
  type Write,
} from '../../interface.js';
import { firstFailing } from './expectation.js';
import { closedError, unavailable } from '../failure.js';
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_WRITES,
  fitsAlone,
  packBatch,
  planCommit,
  type PlannedCommit,
} from './batch.js';
import type { BatchSender } from './batchsender.js';
import { checkCommit, tooLarge } from '../../commitlimits.js';
import { readAll } from './transactionoutcome.js';
import type { EtcdClient } from '../client.js';
import { soon } from '../../../apimachinery/eventloop/turns.js';

/** A commit fails if it could not be sent within this time; nothing of it was written. */
const QUEUE_TIMEOUT_MS = 2_000;
/** How often a batch of deletes is tried while etcd has no space. */
const SPACE_RETRY_MS = 5_000;

interface Waiting {
  readonly commit: PlannedCommit;
  readonly since: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitQueueOptions {
  readonly client: EtcdClient;
  /** The first one carries the load; another one is used when a full batch waits. */
  readonly senders: readonly BatchSender[];
  readonly dataKey: (key: string) => Buffer;
  /** Called with every revision of an acknowledged commit. */
  readonly onRevision: (revision: number) => void;
}

export class CommitQueue {
  private waiting: Waiting[] = [];
  private readonly idle: BatchSender[];
  private scheduled = false;
  private closed = false;
  private noSpaceSince: number | undefined = undefined;
  private onDrained: (() => void) | undefined = undefined;

  constructor(private readonly options: CommitQueueOptions) {
    this.idle = [...options.senders];
  }

  async commit(writes: readonly Write[], guards: readonly Guard[] = []): Promise<CommitResult> {
    if (this.closed) throw closedError();
    checkCommit(writes, guards);
    const commit = planCommit(writes, guards, this.options.dataKey);
    if (!fitsAlone(commit)) throw tooLarge('writes', MAX_COMMIT_WRITES);
    if (!commit.positions) await checkPositions(this.options.client, commit);
    return new Promise((resolve, reject) => {
      this.waiting.push({ commit, since: performance.now(), resolve, reject });
      this.schedule();
    });
  }

  /** Waits for the commits in flight; later ones fail. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.isDrained() && !this.scheduled) return;
    await new Promise<void>((resolve) => {
      this.onDrained = resolve;
      this.schedule();
    });
  }

  private isDrained(): boolean {
    return this.waiting.length === 0 && this.idle.length === this.options.senders.length;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    soon(() => this.sendWaiting());
  }

  /** Sends waiting commits as far as senders are idle. */
  private sendWaiting(): void {
    this.scheduled = false;
    this.dropExpired();
    while (this.waiting.length > 0 && this.idle.length > 0) {
      const busy = this.idle.length < this.options.senders.length;
      if (busy && !isFull(this.waiting)) break;
      this.startBatch(this.idle.shift()!);
    }
    if (this.isDrained()) this.onDrained?.();
  }

  private dropExpired(): void {
    const oldest = performance.now() - QUEUE_TIMEOUT_MS;
    const expired = this.waiting.filter(({ since }) => since < oldest);
    if (expired.length === 0) return;
    this.waiting = this.waiting.filter(({ since }) => since >= oldest);
    for (const { reject } of expired) reject(unavailable(new Error('etcd does not answer in time'), 'none'));
  }

  private startBatch(sender: BatchSender): void {
    const { waiting } = this;
    const withRecord =
      this.noSpaceSince === undefined || !waiting[0]!.commit.deletesOnly || this.mayRetrySpace();
    const indexes = withRecord ? packBatch(waiting.map(({ commit }) => commit)) : [0];
    const batch = indexes.map((index) => waiting[index]!);
    const taken = new Set(indexes);
    this.waiting = waiting.filter((_, index) => !taken.has(index));
    void this.sendBatch(sender, batch, withRecord).finally(() => {
      this.idle.unshift(sender);
      this.schedule();
    });
  }

  private mayRetrySpace(): boolean {
    return this.noSpaceSince !== undefined && performance.now() - this.noSpaceSince > SPACE_RETRY_MS;
  }

  private async sendBatch(
    sender: BatchSender,
    batch: readonly Waiting[],
    withRecord: boolean,
  ): Promise<void> {
    try {
      const outcome = await sender.send(
        batch.map(({ commit }) => commit),
        withRecord,
      );
      if (outcome === 'no space') return this.refuseForSpace(batch, withRecord);
      if (withRecord) this.noSpaceSince = undefined;
      for (const [index, one] of outcome.entries()) this.answer(batch[index]!, one);
    } catch (error) {
      const failure = unavailable(error, 'unknown');
      for (const { reject } of batch) reject(failure);
    }
  }

  private answer({ resolve, reject }: Waiting, outcome: readonly number[] | StorageFailure): void {
    if ('code' in outcome) return reject(new StorageError(outcome));
    const newest = outcome.at(-1);
    if (newest !== undefined) this.options.onRevision(newest);
    resolve({ revisions: outcome });
  }

  /** Sends deletes again, each commit alone and without a record, as they free space. */
  private refuseForSpace(batch: readonly Waiting[], withRecord: boolean): void {
    this.noSpaceSince = performance.now();
    const again = withRecord ? batch.filter(({ commit }) => commit.deletesOnly) : [];
    this.waiting.unshift(...again);
    for (const one of batch) {
      if (!again.includes(one)) one.reject(noSpace());
    }
  }
}

function noSpace(): StorageError {
  return new StorageError({
    code: 'unavailable',
    reason: 'etcd has no space left (its quota is used up)',
    outcome: 'none',
    clients:
      'cannot be written now: etcd has no space left (its quota is used up). Objects without finalizers can still be deleted. ' +
      'An administrator frees space with: management-apiserver store free-space',
  });
}

function isFull(waiting: readonly Waiting[]): boolean {
  let [writes, size] = [0, 0];
  for (const { commit } of waiting) {
    writes += commit.writes.length;
    size += commit.size;
    if (writes >= MAX_BATCH_WRITES || size >= MAX_BATCH_BYTES) return true;
  }
  return false;
}

/**
 * For a commit with too many comparisons: a read checks the positions, as etcd compares only up to its own
 * revision.
 */
async function checkPositions(client: EtcdClient, { requirements }: PlannedCommit): Promise<void> {
  const found = await readAll(client, requirements);
  const failure = firstFailing(requirements, found);
  if (failure !== undefined) throw new StorageError(failure);
}
