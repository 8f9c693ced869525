/**
 * The only writer of the tables. Commits that wait together become one LMDB transaction and share its sync; while
 * one transaction is under way the next ones gather. Nothing is answered, and no revision becomes readable, before
 * the transaction is on disk.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageError } from '../interface.js';
import type { CommitResult, StorageEvent } from '../interface.js';
import { planCommits } from './plan.js';
import type { Plan, Proposal } from './plan.js';
import { admit } from './admission.js';
import type { Space } from './diskreserve.js';
import { planSweep } from './compactor.js';
import type { Sweep } from './compactor.js';
import type { HistoryMarks } from './retention.js';
import { META, readCounter } from './tables.js';
import type { Tables } from './tables.js';
import { writeTransaction } from './transaction.js';

/** Bounds of one transaction, and with it of the time that later commits wait. */
const MAX_WRITES = 512;
const MAX_BYTES = 8 * 1024 * 1024;
/** What the writer knows of the store, and what reads and watches go by. */
export interface Progress {
  /** The newest durable revision. */
  newest: number;
  /** The oldest readable revision. */
  oldest: number;
  /** Superseded writes up to here are gone. */
  swept: number;
}

interface Waiting extends Proposal {
  /** Bytes of keys and values. */
  readonly bytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: StorageError) => void;
}

export interface Writer {
  commit(proposal: Proposal, bytes: number): Promise<CommitResult>;
  /** Makes everything before `revision` unreadable; durable when it resolves, space comes back later. */
  forget(revision: number): Promise<void>;
  /** Does what waits without anybody asking: history that is too old. */
  tick(): void;
  /** Waits for what has been accepted. Call nothing else afterwards. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly tables: Tables;
  readonly space: Space;
  readonly marks: HistoryMarks;
  readonly progress: Progress;
  /** Called when events have become durable, before their commits are answered. */
  readonly published: (events: readonly StorageEvent[]) => void;
  /** The oldest revision that a read under way still needs. */
  readonly oldestInUse: () => number;
}

export function openWriter(options: WriterOptions): Writer {
  const { progress } = options;
  let queue: Waiting[] = [];
  let forgetting: { readonly resolve: () => void; readonly reject: (error: StorageError) => void }[] = [];
  let oldest = progress.oldest;
  let running: Promise<void> | undefined;
  let closing = false;
  let broken: StorageError | undefined;
  /** Set when a step of forgetting failed: the next one waits for a commit or a tick. */
  let sweepFailed = false;

  function start(): void {
    running ??= run();
  }

  function hasWork(): boolean {
    if (queue.length > 0 || forgetting.length > 0) return true;
    if (broken !== undefined || sweepFailed || closing) return false;
    return progress.swept < Math.min(progress.oldest, options.oldestInUse());
  }

  async function run(): Promise<void> {
    do {
      // Everything that this turn of the loop still commits shares the sync.
      await nextTurn();
      const rest = takeGroup();
      await step(rest);
    } while (hasWork());
    // In the same turn as the check above, so that no commit arrives in between.
    running = undefined;
  }

  function takeGroup(): Waiting[] {
    let [writes, bytes, count] = [0, 0, 0];
    for (const waiting of queue) {
      writes += waiting.writes.length;
      bytes += waiting.bytes;
      if (count > 0 && (writes > MAX_WRITES || bytes > MAX_BYTES)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function step(group: readonly Waiting[]): Promise<void> {
    const asked = forgetting;
    forgetting = [];
    try {
      if (broken !== undefined) throw broken;
      const { admitted, sweepEntries } = await admit(group, options.space);
      const plan = planCommits(options.tables, admitted, progress.newest);
      const sweep = planSweep(
        options.tables,
        progress.swept,
        Math.min(progress.oldest, options.oldestInUse()),
        sweepEntries,
      );
      const bytes = admitted.reduce((sum, one) => sum + one.bytes, 0);
      await write(plan, sweep, bytes, asked.length > 0);
      publish(plan, sweep);
      settle(admitted, plan);
      for (const one of asked) one.resolve();
      sweepFailed = false;
    } catch (error) {
      sweepFailed = true;
      const failure = failureOfWrite(error);
      for (const one of [...group, ...asked]) one.reject(failure);
    }
  }

  /**
   * LMDB writes into free pages and switches over to them at the end: when the store still shows the revision from
   * before, nothing was written, and the next transaction may succeed. Otherwise nobody knows what a restart finds.
   */
  function failureOfWrite(error: unknown): StorageError {
    if (error instanceof StorageError) return error;
    const cause = { cause: error };
    if (readCounter(options.tables, META.revision) === progress.newest) {
      const reason = 'writing to the disk failed';
      return new StorageError({ code: 'unavailable', reason, outcome: 'none' }, cause);
    }
    const reason = 'writing to the disk failed half-way; the process must be started again';
    broken = new StorageError({ code: 'unavailable', reason, outcome: 'none' }, cause);
    return new StorageError({ code: 'unavailable', reason, outcome: 'unknown' }, cause);
  }

  async function write(plan: Plan, sweep: Sweep | undefined, bytes: number, forget: boolean): Promise<void> {
    const newest = plan.entries.at(-1)?.revision ?? progress.newest;
    const marked = options.marks.note(newest, bytes);
    const expired = options.marks.expired();
    if (expired !== undefined && expired > oldest) {
      oldest = expired;
      progress.oldest = expired;
      forget = true;
    }
    if (plan.entries.length === 0 && sweep === undefined && !forget) return;
    await writeTransaction(options.tables, {
      plan,
      sweep,
      oldest: forget ? oldest : undefined,
      marks: marked ? options.marks.save() : undefined,
    });
  }

  function publish(plan: Plan, sweep: Sweep | undefined): void {
    if (sweep !== undefined) progress.swept = sweep.swept;
    const newest = plan.entries.at(-1)?.revision;
    if (newest === undefined) return;
    progress.newest = newest;
    options.published(
      plan.entries.map(({ key, value, revision, commitEnd }) => ({ key, value, revision, commitEnd })),
    );
  }

  return {
    commit: ({ writes, guards }, bytes) =>
      new Promise((resolve, reject) => {
        queue.push({ writes, guards, bytes, resolve, reject });
        start();
      }),
    forget: (revision) =>
      new Promise((resolve, reject) => {
        if (revision > oldest) oldest = revision;
        progress.oldest = oldest;
        forgetting.push({ resolve, reject });
        start();
      }),
    tick: start,
    close: async () => {
      closing = true;
      while (running !== undefined) await running;
      queue = [];
    },
  };
}

function settle(group: readonly Waiting[], plan: Plan): void {
  for (const [index, waiting] of group.entries()) {
    const outcome = plan.outcomes[index];
    if (outcome instanceof StorageError) waiting.reject(outcome);
    else waiting.resolve({ revisions: outcome ?? [] });
  }
}
