/**
 * The only writer of the tables. Commits that wait together become one LMDB transaction and share its sync;
 * further commits gather while a transaction is in flight. Commits are acknowledged, and revisions become
 * readable, when the transaction is durable.
 */
import { nextTurn } from '../../apimachinery/eventloop/turns.js';
import { StorageError, type CommitResult, type StorageEvent } from '../interface.js';
import { planCommits, type Plan, type Proposal } from './plan.js';
import { admit } from './admission.js';
import type { DiskReserve } from './diskreserve.js';
import { planCompaction, type Compaction } from './compactionplan.js';
import type { Retention } from './retention.js';
import { META, readCounter, type Tables } from './tables.js';
import { writeTransaction } from './transaction.js';

/** The limits of one transaction, which also bound the wait of later commits. */
const MAX_WRITES = 512;
const MAX_BYTES = 8 * 1024 * 1024;
/** The writer's progress, which reads and watches depend on. */
export interface Progress {
  /** The newest durable revision. */
  newest: number;
  /** The oldest readable revision. */
  oldest: number;
  /** Superseded writes up to this revision were removed. */
  compacted: number;
}

interface Waiting extends Proposal {
  /** Bytes of keys and values. */
  readonly bytes: number;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: StorageError) => void;
}

interface Forgetting {
  readonly resolve: () => void;
  readonly reject: (error: StorageError) => void;
}

export interface WriterOptions {
  readonly tables: Tables;
  readonly reserve: DiskReserve;
  readonly retention: Retention;
  readonly progress: Progress;
  /** Called when events are durable, before their commits are acknowledged. */
  readonly published: (events: readonly StorageEvent[]) => void;
  /** The oldest revision that reads in flight need. */
  readonly oldestInUse: () => number;
}

export class Writer {
  private queue: Waiting[] = [];
  private forgetting: Forgetting[] = [];
  private oldest: number;
  private running: Promise<void> | undefined = undefined;
  private closing = false;
  private broken: StorageError | undefined = undefined;
  /** Set when a step of compaction failed: the next step waits for a commit or a tick. */
  private compactionFailed = false;

  constructor(private readonly options: WriterOptions) {
    this.oldest = options.progress.oldest;
  }

  /** @param bytes of keys and values. */
  commit({ writes, guards }: Proposal, bytes: number): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.queue.push({ writes, guards, bytes, resolve, reject });
      this.start();
    });
  }

  /** Makes everything before `revision` unreadable; durable when it resolves. The space is freed later. */
  forget(revision: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (revision > this.oldest) this.oldest = revision;
      this.options.progress.oldest = this.oldest;
      this.forgetting.push({ resolve, reject });
      this.start();
    });
  }

  /** Removes history that is too old when nothing else triggers it. */
  tick(): void {
    this.start();
  }

  /** Waits for accepted commits. No method may be called afterwards. */
  async close(): Promise<void> {
    this.closing = true;
    while (this.running !== undefined) await this.running;
    this.queue = [];
  }

  private start(): void {
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    do {
      // Further commits of this turn of the event loop share the sync.
      await nextTurn();
      await this.step(this.takeBatch());
    } while (this.hasWork());
    // In the same turn as the check above, so that no commit arrives between them.
    this.running = undefined;
  }

  private hasWork(): boolean {
    if (this.queue.length > 0 || this.forgetting.length > 0) return true;
    if (this.broken !== undefined || this.compactionFailed || this.closing) return false;
    return this.mayCompact();
  }

  private mayCompact(): boolean {
    return this.options.progress.compacted < this.compactable();
  }

  /** Superseded writes up to this revision can be removed. */
  private compactable(): number {
    return Math.min(this.options.progress.oldest, this.options.oldestInUse());
  }

  private takeBatch(): Waiting[] {
    let [writes, bytes, count] = [0, 0, 0];
    for (const waiting of this.queue) {
      writes += waiting.writes.length;
      bytes += waiting.bytes;
      if (count > 0 && (writes > MAX_WRITES || bytes > MAX_BYTES)) break;
      count += 1;
    }
    return this.queue.splice(0, count);
  }

  private async step(batch: readonly Waiting[]): Promise<void> {
    const asked = this.forgetting;
    this.forgetting = [];
    try {
      if (this.broken !== undefined) throw this.broken;
      await this.commitBatch(batch, asked.length > 0);
      for (const one of asked) one.resolve();
      this.compactionFailed = false;
    } catch (error) {
      this.compactionFailed = true;
      const failure = this.failureOfWrite(error);
      for (const one of [...batch, ...asked]) one.reject(failure);
    }
  }

  private async commitBatch(batch: readonly Waiting[], forget: boolean): Promise<void> {
    const { tables, reserve, progress } = this.options;
    const { admitted, compactionEntries } = await admit(batch, reserve, this.mayCompact());
    const plan = planCommits(tables, admitted, progress.newest);
    const compaction = planCompaction(tables, progress.compacted, this.compactable(), compactionEntries);
    const bytes = admitted.reduce((sum, one) => sum + one.bytes, 0);
    await this.write(plan, compaction, bytes, forget);
    this.publish(plan, compaction);
    settle(admitted, plan);
  }

  /**
   * LMDB writes into free pages and switches to them at the end: if the store still shows the previous
   * revision, nothing was written, and the next transaction may succeed. Otherwise the state after a restart
   * is unknown.
   */
  private failureOfWrite(error: unknown): StorageError {
    if (error instanceof StorageError) return error;
    const cause = { cause: error };
    if (readCounter(this.options.tables, META.revision) === this.options.progress.newest) {
      const reason = 'writing to the disk failed';
      return new StorageError({ code: 'unavailable', reason, outcome: 'none' }, cause);
    }
    const reason = 'writing to the disk failed half-way; the process must be started again';
    this.broken = new StorageError({ code: 'unavailable', reason, outcome: 'none' }, cause);
    return new StorageError({ code: 'unavailable', reason, outcome: 'unknown' }, cause);
  }

  private async write(
    plan: Plan,
    compaction: Compaction | undefined,
    bytes: number,
    forget: boolean,
  ): Promise<void> {
    const { tables, retention, progress } = this.options;
    const newest = plan.entries.at(-1)?.revision ?? progress.newest;
    const marked = retention.note(newest, bytes);
    const past = retention.expired();
    // The times of history have no checksum.
    const expired = past === undefined ? undefined : Math.min(past, progress.newest);
    if (expired !== undefined && expired > this.oldest) {
      this.oldest = expired;
      progress.oldest = expired;
      forget = true;
    }
    if (plan.entries.length === 0 && compaction === undefined && !forget) return;
    await writeTransaction(tables, {
      plan,
      compaction,
      // Written with each step of compaction, as the transaction that should have written it may have failed.
      oldest: forget || compaction !== undefined ? this.oldest : undefined,
      marks: marked ? retention.save() : undefined,
    });
  }

  private publish(plan: Plan, compaction: Compaction | undefined): void {
    const { progress, published } = this.options;
    if (compaction !== undefined) progress.compacted = compaction.upTo;
    const newest = plan.entries.at(-1)?.revision;
    if (newest === undefined) return;
    progress.newest = newest;
    published(
      plan.entries.map(({ key, value, revision, commitEnd }) => ({ key, value, revision, commitEnd })),
    );
  }
}

function settle(batch: readonly Waiting[], plan: Plan): void {
  for (const [index, waiting] of batch.entries()) {
    const outcome = plan.outcomes[index];
    if (outcome instanceof StorageError) waiting.reject(outcome);
    else waiting.resolve({ revisions: outcome ?? [] });
  }
}
