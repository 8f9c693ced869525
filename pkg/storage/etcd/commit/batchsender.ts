/**
 * A lane sends groups one after the other and knows what became of each.
 *
 * Every group writes the lane's record and requires that the record is as the group before left it. So after a
 * timeout the record tells: it carries the id of the group when the group was done; and when it does not, writing
 * it once more keeps the late group from ever being done.
 */
import { randomUUID } from 'node:crypto';
import type { ITxnResponse } from 'etcd3';
import { setTimeout as sleep } from 'node:timers/promises';
import { tooLarge } from '../../commitlimits.js';
import { MAX_COMMIT_BYTES, StorageError } from '../../interface.js';
import type { StorageFailure } from '../../interface.js';
import type { EtcdClient } from '../client.js';
import { classify, unavailable } from '../failure.js';
import { groupRecord, groupTransaction, revisionsOf, unchanged, verdictsOf } from './batch.js';
import type { GroupRecord, PlannedCommit, Verdict } from './batch.js';
import { decodeValue, encodeValue } from '../record.js';
import { verdictsBefore } from './transactionoutcome.js';

/** In milliseconds. All three together, and the wait in the queue, stay under 10 seconds. */
export interface LaneTimes {
  /** How long a group is sent again while it is certain that nothing of it was done. */
  readonly patienceMs: number;
  /** How long etcd may take for one attempt. */
  readonly deadlineMs: number;
  /** How long each step of finding out what became of a group may take. */
  readonly settleMs: number;
}

export const LANE_TIMES: LaneTimes = { patienceMs: 5_500, deadlineMs: 3_000, settleMs: 2_000 };
const PAUSE_MS = 50;

/** What became of a group: for each commit its revisions, or why it failed. */
export type GroupOutcome = readonly (readonly number[] | StorageFailure)[] | 'no space';

export interface Lane {
  /**
   * @param withRecord see `groupTransaction`.
   * @returns `'no space'` when etcd refused the group for its quota: nothing was written.
   * @throws StorageError `unavailable`, `too large`: for all commits of the group.
   */
  send(commits: readonly PlannedCommit[], withRecord: boolean): Promise<GroupOutcome>;
  /** Removes the lane's record. */
  close(): Promise<void>;
}

export function openLane(client: EtcdClient, key: Buffer, times: LaneTimes = LANE_TIMES): Lane {
  /** The record's etcd revision; undefined: to be read first. */
  let modRevision: number | undefined = 0;

  async function readRecord(): Promise<{ modRevision: number; id: string | undefined }> {
    const call = client.retried((etcd, options) => etcd.kv.range({ key }, options), times.settleMs);
    const [kv] = (await call.catch((error: unknown) => Promise.reject(unavailable(error, 'none')))).kvs;
    if (kv === undefined) return { modRevision: 0, id: undefined };
    const record = JSON.parse(decodeValue(kv.value).value.toString()) as GroupRecord;
    return { modRevision: Number(kv.mod_revision), id: record.id };
  }

  async function send(commits: readonly PlannedCommit[], withRecord: boolean): Promise<GroupOutcome> {
    const until = Date.now() + times.patienceMs;
    for (;;) {
      const deadlineMs = Math.min(times.deadlineMs, until - Date.now());
      const result = await attempt(commits, withRecord, deadlineMs);
      if (result !== 'nothing done') return result;
      if (Date.now() + 2 * PAUSE_MS >= until) throw unavailable(new Error('etcd cannot be reached'), 'none');
      await sleep(PAUSE_MS);
    }
  }

  async function attempt(
    commits: readonly PlannedCommit[],
    withRecord: boolean,
    deadlineMs: number,
  ): Promise<GroupOutcome | 'nothing done'> {
    modRevision ??= (await readRecord()).modRevision;
    const id = randomUUID();
    const target = { key, modRevision };
    const record = withRecord ? groupRecord(id, Date.now(), commits) : undefined;
    const asked = client.endpoint();
    let answer: ITxnResponse;
    try {
      const request = groupTransaction(commits, target, record);
      answer = await client.once((etcd, options) => etcd.kv.txn(request, options), deadlineMs);
    } catch (error) {
      const failure = classify(error);
      switch (failure) {
        case 'not sent':
          client.leave(asked);
          return 'nothing done';
        case 'no space':
          return withRecord ? refusedForSpace(commits, id, error) : 'no space';
        case 'request too large':
          throw tooLarge('commit', MAX_COMMIT_BYTES);
        case 'refused':
        case 'compacted':
        case 'future revision':
          throw unavailable(error, 'none');
        case 'answer too large':
        case 'ambiguous':
          client.leave(asked);
          return settle(commits, withRecord ? id : undefined, target.modRevision, error);
      }
    }
    if (!answer.succeeded) {
      modRevision = undefined;
      return 'nothing done';
    }
    const etcdRevision = Number(answer.header.revision);
    if (withRecord) modRevision = etcdRevision;
    return outcomeOf(commits, verdictsOf(commits, answer, withRecord), etcdRevision, withRecord);
  }

  /**
   * etcd's quota refuses a transaction either before it is done or, the first time, after: `quotaApplierV3` applies
   * and then answers the error. The record tells which.
   */
  async function refusedForSpace(
    commits: readonly PlannedCommit[],
    id: string,
    cause: unknown,
  ): Promise<GroupOutcome> {
    modRevision = undefined;
    try {
      const found = await readRecord();
      modRevision = found.modRevision;
      if (found.id !== id) return 'no space';
      const verdicts = await verdictsBefore(client, commits, found.modRevision);
      return outcomeOf(commits, verdicts, found.modRevision, true);
    } catch (error) {
      throw unavailable(error instanceof StorageError ? cause : error, 'unknown');
    }
  }

  /** Finds out what became of a group that was not answered; `id` is that in its record, if it had one. */
  async function settle(
    commits: readonly PlannedCommit[],
    id: string | undefined,
    before: number,
    cause: unknown,
  ): Promise<GroupOutcome | 'nothing done'> {
    modRevision = undefined;
    if (id === undefined) throw unavailable(cause, 'unknown');
    try {
      let found = await readRecord();
      if (found.modRevision === before) {
        if (await fence(before)) return 'nothing done';
        found = await readRecord();
      }
      if (found.id !== id) throw unavailable(cause, 'unknown');
      const verdicts = await verdictsBefore(client, commits, found.modRevision);
      modRevision = found.modRevision;
      return outcomeOf(commits, verdicts, found.modRevision, true);
    } catch (error) {
      throw unavailable(error instanceof StorageError ? cause : error, 'unknown');
    }
  }

  /** Writes the record, if it is still as at `before`. Then no group that was sent before is done any more. */
  async function fence(before: number): Promise<boolean> {
    const record: GroupRecord = { id: randomUUID(), time: Date.now(), open: [] };
    const put = { key, value: encodeValue(Buffer.from(JSON.stringify(record)), 0, true) };
    const request = {
      compare: [unchanged({ key, modRevision: before })],
      success: [{ request_put: put }],
    };
    const answer = await client.once((etcd, options) => etcd.kv.txn(request, options), times.settleMs);
    if (answer.succeeded) modRevision = Number(answer.header.revision);
    return answer.succeeded;
  }

  async function close(): Promise<void> {
    if (modRevision === 0) return;
    await client.once((etcd, options) => etcd.kv.deleteRange({ key }, options), 1_000).catch(() => undefined);
  }

  return { send, close };
}

function outcomeOf(
  commits: readonly PlannedCommit[],
  verdicts: readonly Verdict[],
  etcdRevision: number,
  withRecord: boolean,
): GroupOutcome {
  const revisions = revisionsOf(commits, verdicts, etcdRevision, withRecord);
  return verdicts.map((verdict, index) => (verdict === 'done' ? (revisions[index] ?? []) : verdict));
}
