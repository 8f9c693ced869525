/**
 * Reads that survive the start and end of the process that owns the store: through another owner, or from the
 * files.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeReader, Changes } from '../changes.js';
import {
  StorageError,
  type GetResult,
  type KeyRange,
  type ReadOptions,
  type ScanOptions,
  type ScanResult,
} from '../interface.js';
import type { ReadOnlyStorage } from './readonlystorage.js';

/** The time that an owner which stopped answering may take to end. */
const ENDING_MS = 15_000;
const STEP_MS = 50;

export class ReopeningReads implements ReadOnlyStorage {
  private reads: ReadOnlyStorage;
  private closed = false;
  private readonly open: () => Promise<ReadOnlyStorage>;

  /** @param open rejects with StorageError `unavailable` while the owner is ending */
  constructor(reads: ReadOnlyStorage, open: () => Promise<ReadOnlyStorage>) {
    this.reads = reads;
    this.open = open;
  }

  get(key: string, options?: ReadOptions): Promise<GetResult> {
    return this.retried((reads) => reads.get(key, options));
  }

  scan(range: KeyRange, options?: ScanOptions): Promise<ScanResult> {
    return this.retried((reads) => reads.scan(range, options));
  }

  changes(after: number): ChangeReader {
    let position = after;
    let reads = this.reads;
    let changes = reads.changes(after);
    const anew = async (until: number): Promise<void> => {
      changes.close();
      await this.reopen(reads, until);
      reads = this.reads;
      changes = reads.changes(position);
    };
    const untilNow = async function* (): AsyncGenerator<Changes> {
      for (let until = timeLimit(); ;) {
        try {
          for await (const some of changes.untilNow()) {
            position = some.revision;
            until = timeLimit();
            yield some;
          }
          return;
        } catch (error) {
          if (!isGone(error) || performance.now() > until) throw error;
          await anew(until);
        }
      }
    };
    return { untilNow, close: () => changes.close() };
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.reads.close();
  }

  private async retried<T>(read: (reads: ReadOnlyStorage) => Promise<T>): Promise<T> {
    for (const until = timeLimit(); ;) {
      const reads = this.reads;
      try {
        return await read(reads);
      } catch (error) {
        if (!isGone(error) || performance.now() > until) throw error;
        await this.reopen(reads, until);
      }
    }
  }

  /** Does nothing if another call has reopened it. */
  private async reopen(lost: ReadOnlyStorage, until: number): Promise<void> {
    await sleep(STEP_MS);
    if (this.closed || this.reads !== lost) return;
    await lost.close();
    this.reads = await openUntil(this.open, until);
  }
}

/** Retries while the owner is ending. */
export async function openUntil(
  open: () => Promise<ReadOnlyStorage>,
  until: number,
): Promise<ReadOnlyStorage> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isGone(error) || performance.now() > until) throw error;
      await sleep(STEP_MS);
    }
  }
}

const timeLimit = (): number => performance.now() + ENDING_MS;

const isGone = (error: unknown): boolean =>
  error instanceof StorageError && error.failure.code === 'unavailable';
