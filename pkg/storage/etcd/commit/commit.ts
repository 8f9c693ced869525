/** The queue of commits: those that wait together travel together. */
import { StorageError, MAX_COMMIT_WRITES } from '../../interface.js';
import type { CommitResult, Guard, StorageFailure, Write } from '../../interface.js';
import { firstFailing } from './expectation.js';
import { closedError, unavailable } from '../failure.js';
import { MAX_GROUP_BYTES, MAX_GROUP_WRITES, fitsAlone, packGroup, planCommit } from './batch.js';
import type { PlannedCommit } from './batch.js';
import type { Lane } from './batchsender.js';
import { checkCommit, tooLarge } from '../../commitlimits.js';
import { readAll } from './transactionoutcome.js';
import type { EtcdClient } from '../client.js';

/** A commit that could not be sent for so long fails; nothing of it was written. */
const QUEUE_PATIENCE_MS = 2_000;
/** While etcd has no space, so often a group of deletes tries whether that is over. */
const SPACE_RETRY_MS = 5_000;

interface Waiting {
  readonly commit: PlannedCommit;
  readonly since: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitQueue {
  commit(writes: readonly Write[], guards?: readonly Guard[]): Promise<CommitResult>;
  /** Waits for the commits under way; later ones fail. */
  close(): Promise<void>;
}

export interface CommitQueueOptions {
  readonly client: EtcdClient;
  /** The first carries the load; another one joins in when a full group waits. */
  readonly lanes: readonly Lane[];
  readonly dataKey: (key: string) => Buffer;
  /** Told of every revision that a commit was answered with. */
  readonly onRevision: (revision: number) => void;
}

export function commitQueue({ client, lanes, dataKey, onRevision }: CommitQueueOptions): CommitQueue {
  let waiting: Waiting[] = [];
  const idle = [...lanes];
  let scheduled = false;
  let closed = false;
  let noSpaceSince: number | undefined;
  let onDrained: (() => void) | undefined;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(pump);
  }

  function pump(): void {
    scheduled = false;
    dropExpired();
    while (waiting.length > 0 && idle.length > 0) {
      const busy = idle.length < lanes.length;
      if (busy && !isFull(waiting)) break;
      startGroup(idle.shift() as Lane);
    }
    if (waiting.length === 0 && idle.length === lanes.length) onDrained?.();
  }

  function dropExpired(): void {
    const oldest = Date.now() - QUEUE_PATIENCE_MS;
    const expired = waiting.filter(({ since }) => since < oldest);
    if (expired.length === 0) return;
    waiting = waiting.filter(({ since }) => since >= oldest);
    for (const { reject } of expired) reject(unavailable(new Error('etcd does not answer in time'), 'none'));
  }

  function startGroup(lane: Lane): void {
    const withRecord =
      noSpaceSince === undefined || !(waiting[0] as Waiting).commit.deletesOnly || retrySpace();
    const indexes = withRecord ? packGroup(waiting.map(({ commit }) => commit)) : [0];
    const group = indexes.map((index) => waiting[index] as Waiting);
    const taken = new Set(indexes);
    waiting = waiting.filter((_, index) => !taken.has(index));
    void sendGroup(lane, group, withRecord).finally(() => {
      idle.unshift(lane);
      schedule();
    });
  }

  function retrySpace(): boolean {
    return noSpaceSince !== undefined && Date.now() - noSpaceSince > SPACE_RETRY_MS;
  }

  async function sendGroup(lane: Lane, group: readonly Waiting[], withRecord: boolean): Promise<void> {
    try {
      const outcome = await lane.send(
        group.map(({ commit }) => commit),
        withRecord,
      );
      if (outcome === 'no space') return refuseForSpace(group, withRecord);
      if (withRecord) noSpaceSince = undefined;
      for (const [index, one] of outcome.entries()) answer(group[index] as Waiting, one);
    } catch (error) {
      const failure = unavailable(error, 'unknown');
      for (const { reject } of group) reject(failure);
    }
  }

  function answer({ resolve, reject }: Waiting, outcome: readonly number[] | StorageFailure): void {
    if ('code' in outcome) return reject(new StorageError(outcome));
    const newest = outcome.at(-1);
    if (newest !== undefined) onRevision(newest);
    resolve({ revisions: outcome });
  }

  /** Deletes are sent again, each commit alone and without a record; they are what makes space. */
  function refuseForSpace(group: readonly Waiting[], withRecord: boolean): void {
    noSpaceSince = Date.now();
    const again = withRecord ? group.filter(({ commit }) => commit.deletesOnly) : [];
    waiting.unshift(...again);
    for (const one of group) {
      if (!again.includes(one)) {
        one.reject(unavailable(new Error('etcd has no space left (its quota is used up)'), 'none'));
      }
    }
  }

  async function commit(writes: readonly Write[], guards: readonly Guard[] = []): Promise<CommitResult> {
    if (closed) throw closedError();
    checkCommit(writes, guards);
    const planned = planCommit(writes, guards, dataKey);
    if (!fitsAlone(planned)) throw tooLarge('writes', MAX_COMMIT_WRITES);
    if (!planned.positions) await checkPositions(client, planned);
    return new Promise((resolve, reject) => {
      waiting.push({ commit: planned, since: Date.now(), resolve, reject });
      schedule();
    });
  }

  return {
    commit,
    close: async () => {
      closed = true;
      if (waiting.length === 0 && idle.length === lanes.length && !scheduled) return;
      await new Promise<void>((resolve) => {
        onDrained = resolve;
        schedule();
      });
    },
  };
}

function isFull(waiting: readonly Waiting[]): boolean {
  let [writes, size] = [0, 0];
  for (const { commit } of waiting) {
    writes += commit.writes.length;
    size += commit.size;
    if (writes >= MAX_GROUP_WRITES || size >= MAX_GROUP_BYTES) return true;
  }
  return false;
}

/** For a commit with too many comparisons: checks by a read what etcd then only compares up to its own revision. */
async function checkPositions(client: EtcdClient, { requirements }: PlannedCommit): Promise<void> {
  const found = await readAll(client, requirements);
  const failure = firstFailing(requirements, found);
  if (failure !== undefined) throw new StorageError(failure);
}
