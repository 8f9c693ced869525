/**
 * Sends batches to etcd one after the other and determines the outcome of each.
 *
 * Every batch writes the sender's record, on condition that it is unchanged since the previous batch. After a
 * timeout the record shows the outcome: it has the id of the batch if the batch was applied. Otherwise the
 * sender writes the record again, which prevents the late batch from being applied.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tooLarge } from '../../commitlimits.js';
import { MAX_COMMIT_BYTES, StorageError, type StorageFailure } from '../../interface.js';
import type { EtcdClient } from '../client.js';
import { classify, unavailable } from '../failure.js';
import {
  batchRecord,
  batchTransaction,
  outcomesOf,
  revisionsOf,
  unchanged,
  type BatchRecord,
  type CommitOutcome,
  type PlannedCommit,
} from './batch.js';
import { decodeValue, encodeValue } from '../record.js';
import type { TxnAnswer } from '../rpc/messages.js';
import { outcomesBefore } from './transactionoutcome.js';
import { parseStored } from '../../../apimachinery/encoding/parsestored.js';

/** In milliseconds. All three together, and the wait in the queue, stay under 10 seconds. */
export interface BatchTimeouts {
  /** How long a batch is retried while it is certain that nothing was applied. */
  readonly retryMs: number;
  /** The timeout of one attempt. */
  readonly deadlineMs: number;
  /** The timeout of each step that determines the outcome of a batch. */
  readonly settleMs: number;
}

const BATCH_TIMEOUTS: BatchTimeouts = { retryMs: 5_500, deadlineMs: 3_000, settleMs: 2_000 };
const PAUSE_MS = 50;

/** The outcome of a batch: for each commit its revisions, or its failure. */
export type BatchOutcome = readonly (readonly number[] | StorageFailure)[] | 'no space';

/** One attempt to send a batch. */
interface Attempt {
  readonly commits: readonly PlannedCommit[];
  readonly withRecord: boolean;
  /** The id in the batch's record. */
  readonly id: string;
  /** The etcd revision of the record that the batch requires. */
  readonly before: number;
  /** The endpoint of the request. */
  readonly endpoint: ReturnType<EtcdClient['endpoint']>;
}

export class BatchSender {
  /** The record's etcd revision; undefined: it must be read first. */
  private modRevision: number | undefined = 0;

  /** @param key the key of the sender's record */
  constructor(
    private readonly client: EtcdClient,
    private readonly key: Buffer,
    private readonly timeouts: BatchTimeouts = BATCH_TIMEOUTS,
  ) {}

  /**
   * @param withRecord see `batchTransaction`.
   * @returns `'no space'` when etcd refused the batch for its quota: nothing was written.
   * @throws StorageError `unavailable`, `too large`: for all commits of the batch.
   */
  async send(commits: readonly PlannedCommit[], withRecord: boolean): Promise<BatchOutcome> {
    const until = performance.now() + this.timeouts.retryMs;
    for (;;) {
      const deadlineMs = Math.min(this.timeouts.deadlineMs, until - performance.now());
      const result = await this.attempt(commits, withRecord, deadlineMs);
      if (result !== 'nothing done') return result;
      if (performance.now() + 2 * PAUSE_MS >= until)
        throw unavailable(new Error('etcd cannot be reached'), 'none');
      await sleep(PAUSE_MS);
    }
  }

  /** Removes the sender's record. */
  async close(): Promise<void> {
    if (this.modRevision === 0) return;
    const { client, key } = this;
    await client.once((etcd, options) => etcd.kv.deleteRange({ key }, options), 1_000).catch(() => undefined);
  }

  private async attempt(
    commits: readonly PlannedCommit[],
    withRecord: boolean,
    deadlineMs: number,
  ): Promise<BatchOutcome | 'nothing done'> {
    this.modRevision ??= (await this.readRecord()).modRevision;
    const id = randomUUID();
    const before = this.modRevision;
    const record = withRecord ? batchRecord(id, Date.now(), commits) : undefined;
    const endpoint = this.client.endpoint();
    let answer: TxnAnswer;
    try {
      const request = batchTransaction(commits, { key: this.key, modRevision: before }, record);
      answer = await this.client.txn(request, deadlineMs);
    } catch (error) {
      return this.failed({ commits, withRecord, id, before, endpoint }, error);
    }
    if (!answer.succeeded) {
      this.modRevision = undefined;
      return 'nothing done';
    }
    const etcdRevision = Number(answer.header.revision);
    if (withRecord) this.modRevision = etcdRevision;
    return batchOutcome(commits, outcomesOf(commits, answer, withRecord), etcdRevision, withRecord);
  }

  /** The outcome of an attempt that failed or got no response. */
  private async failed(attempt: Attempt, error: unknown): Promise<BatchOutcome | 'nothing done'> {
    const failure = classify(error);
    switch (failure) {
      case 'not sent':
        this.client.leave(attempt.endpoint);
        return 'nothing done';
      case 'no space':
        return attempt.withRecord ? this.refusedForSpace(attempt, error) : 'no space';
      case 'request too large':
        throw tooLarge('commit', MAX_COMMIT_BYTES);
      case 'refused':
      case 'compacted':
      case 'future revision':
        throw unavailable(error, 'none');
      case 'answer too large':
      case 'ambiguous':
        this.client.leave(attempt.endpoint);
        return this.settle(attempt, error);
    }
  }

  /**
   * etcd's quota refuses a transaction either before it is applied or, the first time, afterwards:
   * `quotaApplierV3` applies it and then returns the error. The record shows which.
   */
  private async refusedForSpace({ commits, id }: Attempt, cause: unknown): Promise<BatchOutcome> {
    this.modRevision = undefined;
    try {
      const found = await this.readRecord();
      this.modRevision = found.modRevision;
      if (found.id !== id) return 'no space';
      const outcomes = await outcomesBefore(this.client, commits, found.modRevision);
      return batchOutcome(commits, outcomes, found.modRevision, true);
    } catch (error) {
      throw unavailable(error instanceof StorageError ? cause : error, 'unknown');
    }
  }

  /** Determines the outcome of a batch without a response. That is impossible without a record. */
  private async settle(
    { commits, withRecord, id, before }: Attempt,
    cause: unknown,
  ): Promise<BatchOutcome | 'nothing done'> {
    this.modRevision = undefined;
    if (!withRecord) throw unavailable(cause, 'unknown');
    try {
      let found = await this.readRecord();
      if (found.modRevision === before) {
        if (await this.fence(before)) return 'nothing done';
        found = await this.readRecord();
      }
      if (found.id !== id) throw unavailable(cause, 'unknown');
      const outcomes = await outcomesBefore(this.client, commits, found.modRevision);
      this.modRevision = found.modRevision;
      return batchOutcome(commits, outcomes, found.modRevision, true);
    } catch (error) {
      throw unavailable(error instanceof StorageError ? cause : error, 'unknown');
    }
  }

  /** Writes the record if it is unchanged since `before`. Then no batch sent earlier is applied any more. */
  private async fence(before: number): Promise<boolean> {
    const { client, key, timeouts } = this;
    const record: BatchRecord = { id: randomUUID(), time: Date.now(), open: [] };
    const put = { key, value: encodeValue(Buffer.from(JSON.stringify(record)), 0, true) };
    const request = {
      compare: [unchanged({ key, modRevision: before })],
      success: [{ request_put: put }],
    };
    const answer = await client.txn(request, timeouts.settleMs);
    if (answer.succeeded) this.modRevision = Number(answer.header.revision);
    return answer.succeeded;
  }

  private async readRecord(): Promise<{ modRevision: number; id: string | undefined }> {
    const { client, key, timeouts } = this;
    const call = client.retried((etcd, options) => etcd.kv.range({ key }, options), timeouts.settleMs);
    const [kv] = (await call.catch((error: unknown) => Promise.reject(unavailable(error, 'none')))).kvs;
    if (kv === undefined) return { modRevision: 0, id: undefined };
    const record = parseStored<BatchRecord>(decodeValue(kv.value).value);
    return { modRevision: Number(kv.mod_revision), id: record.id };
  }
}

function batchOutcome(
  commits: readonly PlannedCommit[],
  outcomes: readonly CommitOutcome[],
  etcdRevision: number,
  withRecord: boolean,
): BatchOutcome {
  const revisions = revisionsOf(commits, outcomes, etcdRevision, withRecord);
  return outcomes.map((outcome, index) => (outcome === 'done' ? (revisions[index] ?? []) : outcome));
}
