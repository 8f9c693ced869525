/** One LMDB transaction: its writes, and its failure. */
import { membersOf } from '../../apimachinery/encoding/members.js';
import type { Plan } from './plan.js';
import type { Compaction } from './compactionplan.js';
import { encodeLogEntry } from './logentry.js';
import { encodeRevision, META, type Tables } from './tables.js';

export interface Transaction {
  readonly plan: Plan;
  readonly compaction: Compaction | undefined;
  /** The oldest readable revision, if it changes. */
  readonly oldest: number | undefined;
  /** The marks of history, if they change. */
  readonly marks: string | undefined;
}

/** Writes everything or nothing, and resolves when it is durable. @throws the error of LMDB */
export async function writeTransaction(tables: Tables, transaction: Transaction): Promise<void> {
  try {
    await tables.root.batch(() => putAll(tables, transaction));
  } catch (error) {
    throw await causeOf(error);
  } finally {
    tables.root.resetReadTxn();
  }
}

/** The promises of single puts are ignored: that of the transaction includes them. */
function putAll(tables: Tables, { plan, compaction, oldest, marks }: Transaction): void {
  const newest = plan.entries.at(-1)?.revision;
  writePlan(tables, plan);
  if (compaction !== undefined) writeCompaction(tables, compaction);
  if (newest !== undefined) void tables.meta.put(META.revision, encodeRevision(newest));
  if (oldest !== undefined) void tables.meta.put(META.oldest, encodeRevision(oldest));
  if (marks !== undefined) void tables.meta.put(META.marks, Buffer.from(marks));
}

function writePlan(tables: Tables, { entries }: Plan): void {
  for (const entry of entries) {
    void tables.log.put(entry.revision, encodeLogEntry(entry, entry.revision));
    const revision = encodeRevision(entry.revision);
    if (entry.replaces > 0) {
      void tables.history.put({ key: entry.key, revision: entry.replaces }, revision);
    }
    if (entry.value === undefined) void tables.current.remove(entry.key);
    else void tables.current.put(entry.key, revision);
  }
}

function writeCompaction(tables: Tables, compaction: Compaction): void {
  for (const revision of compaction.log) void tables.log.remove(revision);
  for (const key of compaction.history) void tables.history.remove(key);
  void tables.meta.put(META.compacted, encodeRevision(compaction.upTo));
}

/**
 * The `lmdb` package rejects with an error that contains a promise of the real one; that promise must be
 * handled, too.
 */
async function causeOf(error: unknown): Promise<unknown> {
  const { commitError } = membersOf(error);
  if (commitError === undefined) return error;
  return Promise.resolve(commitError).catch((cause: unknown) => cause);
}
