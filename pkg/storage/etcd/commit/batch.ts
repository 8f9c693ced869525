/**
 * Batches: independent commits in one etcd transaction of nested transactions. Pure functions.
 *
 * etcd evaluates all comparisons before any write, so a key written by one commit of a batch must be neither
 * written nor guarded by another. It does not count nested puts against its quota, so a batch has one
 * top-level put, its record, at position 0.
 */
import type { ICompare, IRequestOp, ITxnRequest } from 'etcd3';
import type { Guard, StorageFailure, Write } from '../../interface.js';
import { comparisonsOf, firstFailing, requirementsOf, type Requirement } from './expectation.js';
import { encodeValue, recordOf } from '../record.js';
import type { TxnAnswer } from '../rpc/messages.js';
import { revisionOf } from '../revision.js';

/** The maximum of all commits of a batch. */
export const MAX_BATCH_WRITES = 62;
/** A larger commit is sent alone. */
export const MAX_BATCH_BYTES = 1024 * 1024;
/** etcd's default `--max-txn-ops`, which counts the longest list of each level of nesting, added up. */
const MAX_OPERATIONS = 128;
const BYTES_PER_OPERATION = 40;

/** A commit prepared for etcd. */
export interface PlannedCommit {
  readonly writes: readonly (Write & { readonly bytes: Buffer })[];
  readonly requirements: readonly Requirement[];
  /** The keys that it writes, and those that it only guards. */
  readonly written: readonly string[];
  readonly guarded: readonly string[];
  /** The length of the longest list of its transaction. */
  readonly operations: number;
  /** The approximate size in the message. */
  readonly size: number;
  readonly deletesOnly: boolean;
  /** Whether the whole expected revision is compared (see `comparisonsOf`). */
  readonly positions: boolean;
}

export function planCommit(
  writes: readonly Write[],
  guards: readonly Guard[],
  dataKey: (key: string) => Buffer,
): PlannedCommit {
  const requirements = requirementsOf(writes, guards, dataKey);
  const numbers = requirements.filter(({ expect }) => typeof expect === 'number').length;
  const full = requirements.length + 2 * numbers + requirements.filter(isImpossible).length;
  const positions = Math.max(full, writes.length) <= MAX_OPERATIONS - 2;
  const compares = positions ? full : full - 2 * numbers;
  let size = 0;
  for (const { key } of requirements) size += 4 * (key.length + BYTES_PER_OPERATION);
  const planned = writes.map((write) => ({ ...write, bytes: dataKey(write.key) }));
  for (const { bytes, value } of planned) size += bytes.length + (value?.length ?? 0) + BYTES_PER_OPERATION;
  return {
    writes: planned,
    requirements,
    written: writes.map(({ key }) => key),
    guarded: guards.map(({ key }) => key),
    operations: Math.max(compares, writes.length),
    size,
    deletesOnly: writes.length > 0 && writes.every(({ value }) => value === undefined),
    positions,
  };
}

function isImpossible({ expect, deletes }: Requirement): boolean {
  return expect === 'absent' && deletes;
}

/** Whether etcd accepts the commit at all. */
export function fitsAlone(commit: PlannedCommit): boolean {
  return commit.operations <= MAX_OPERATIONS - 2;
}

/**
 * Selects from the front of `waiting` the commits that fit together; the first one always does.
 * @returns indexes into `waiting`, increasing
 */
export function packBatch(waiting: readonly PlannedCommit[]): number[] {
  const taken: number[] = [];
  const written = new Set<string>();
  const guarded = new Set<string>();
  let [writes, size, operations] = [0, 0, 0];
  for (const [index, commit] of waiting.entries()) {
    const most = Math.max(operations, commit.operations);
    const fits =
      writes + commit.writes.length <= MAX_BATCH_WRITES &&
      size + commit.size <= MAX_BATCH_BYTES &&
      1 + taken.length + 1 + most <= MAX_OPERATIONS &&
      commit.written.every((key) => !written.has(key) && !guarded.has(key)) &&
      commit.guarded.every((key) => !written.has(key));
    if (!fits && taken.length > 0) {
      if (writes >= MAX_BATCH_WRITES) break;
      continue;
    }
    taken.push(index);
    writes += commit.writes.length;
    size += commit.size;
    operations = most;
    for (const key of commit.written) written.add(key);
    for (const key of commit.guarded) guarded.add(key);
  }
  return taken;
}

/** The value of a batch's record. */
export interface BatchRecord {
  readonly id: string;
  /** Milliseconds since 1970, by the writer's clock. */
  readonly time: number;
  /** Keys whose delete is not the last write of its commit, as an event of a delete cannot say so. */
  readonly open: readonly string[];
}

export function batchRecord(id: string, time: number, commits: readonly PlannedCommit[]): BatchRecord {
  const open = commits.flatMap(({ writes }) =>
    writes.slice(0, -1).flatMap(({ key, value }) => (value === undefined ? [key] : [])),
  );
  return { id, time, open };
}

export interface BatchTarget {
  /** The key of the batch's record. */
  readonly key: Buffer;
  /**
   * The etcd revision at which the record was last written, 0 for never: the batch is applied only if that
   * still holds.
   */
  readonly modRevision: number;
}

/** @param record absent for a single commit of deletes, which must succeed when etcd has no space left */
export function batchTransaction(
  commits: readonly PlannedCommit[],
  target: BatchTarget,
  record: BatchRecord | undefined,
): ITxnRequest {
  const success: IRequestOp[] = [];
  if (record !== undefined) {
    const value = encodeValue(Buffer.from(JSON.stringify(record)), 0, true);
    success.push({ request_put: { key: target.key, value } });
  }
  let position = 0;
  for (const commit of commits) {
    success.push({ request_txn: commitTransaction(commit, position) });
    position += commit.writes.length;
  }
  return { compare: [unchanged(target)], success };
}

export function unchanged({ key, modRevision }: BatchTarget): ICompare {
  return { key, target: 'Mod', result: 'Equal', mod_revision: modRevision };
}

/** @param before the position of the previous write */
function commitTransaction(commit: PlannedCommit, before: number): ITxnRequest {
  const last = commit.writes.length - 1;
  return {
    compare: commit.requirements.flatMap((one) => comparisonsOf(one, commit.positions)),
    success: commit.writes.map(({ bytes, value }, index) =>
      value === undefined
        ? { request_delete_range: { key: bytes } }
        : { request_put: { key: bytes, value: encodeValue(value, before + 1 + index, index === last) } },
    ),
    failure: commit.requirements.map(({ key }) => ({ request_range: { key } })),
  };
}

/** Why a commit failed, or `done`. */
export type CommitOutcome = StorageFailure | 'done';

/** The outcomes of a batch, from etcd's response to {@link batchTransaction}. */
export function outcomesOf(
  commits: readonly PlannedCommit[],
  answer: TxnAnswer,
  withRecord: boolean,
): CommitOutcome[] {
  return commits.map((commit, index) => {
    const nested = answer.responses[index + (withRecord ? 1 : 0)]?.response_txn;
    if (nested === undefined) throw new Error('etcd answered a batch with too few parts');
    if (nested.succeeded) return 'done';
    const found = commit.requirements.map(({ name }, nth) => {
      const kv = nested.responses[nth]?.response_range?.kvs[0];
      return kv === undefined ? undefined : recordOf(name, kv);
    });
    return firstFailing(commit.requirements, found) ?? impossible();
  });
}

function impossible(): StorageFailure {
  return { code: 'unavailable', reason: 'etcd refused a commit whose conditions hold', outcome: 'none' };
}

/**
 * The revisions of the writes of the commits that were applied. The position of a put was fixed when it was
 * sent; that of a delete is the position of the previous event plus one.
 */
export function revisionsOf(
  commits: readonly PlannedCommit[],
  outcomes: readonly CommitOutcome[],
  etcdRevision: number,
  withRecord: boolean,
): number[][] {
  let planned = 0;
  let before = withRecord ? 0 : -1;
  return commits.map((commit, index) => {
    const first = planned + 1;
    planned += commit.writes.length;
    if (outcomes[index] !== 'done') return [];
    return commit.writes.map(({ value }, nth) => {
      before = value === undefined ? before + 1 : first + nth;
      return revisionOf(etcdRevision, before);
    });
  });
}
