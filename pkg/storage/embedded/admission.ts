/** Selects the waiting commits that fit on the disk. */
import { StorageError } from '../interface.js';
import type { Proposal } from './plan.js';
import { roomFor, type DiskReserve } from './diskreserve.js';

/** The superseded writes checked in one transaction: enough to keep up with a stream of commits. */
const COMPACTION_ENTRIES = 256;
/** The same on a full disk, where the reserve must last until pages are freed. */
const COMPACTION_ENTRIES_WHEN_FULL = 16;

interface Applicant extends Proposal {
  /** Bytes of keys and values. */
  readonly bytes: number;
  readonly reject: (error: StorageError) => void;
}

export interface Admitted<T> {
  readonly admitted: readonly T[];
  readonly compactionEntries: number;
}

/**
 * Returns the commits of the batch that fit on the disk, and rejects the others. On a full disk deletes still
 * fit. A step of compaction needs much more room than a commit, which is measured again once it is used up:
 * `compacts` says whether there is anything to remove.
 */
export async function admit<T extends Applicant>(
  batch: readonly T[],
  reserve: DiskReserve,
  compacts: boolean,
): Promise<Admitted<T>> {
  const need = (some: readonly T[], compactionEntries: number) =>
    roomFor(
      some.reduce((sum, one) => sum + one.writes.length, 0),
      some.reduce((sum, one) => sum + one.bytes, 0),
      compactionEntries,
    );
  const entries = compacts ? COMPACTION_ENTRIES : 0;
  if (await reserve.take(need(batch, entries), false)) return { admitted: batch, compactionEntries: entries };
  const [frees, grows] = [batch.filter(onlyDeletes), batch.filter((one) => !onlyDeletes(one))];
  for (const one of grows) one.reject(full());
  const compactionEntries = COMPACTION_ENTRIES_WHEN_FULL;
  if (await reserve.take(need(frees, compactionEntries), true)) return { admitted: frees, compactionEntries };
  for (const one of frees) one.reject(full());
  return { admitted: [], compactionEntries };
}

function onlyDeletes({ writes }: Proposal): boolean {
  return writes.every((write) => write.value === undefined);
}

function full(): StorageError {
  return new StorageError({
    code: 'unavailable',
    reason: 'the disk is full',
    outcome: 'none',
    clients:
      'cannot be written now: the disk of the store is full. Objects without finalizers can still be deleted',
  });
}
