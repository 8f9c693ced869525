/** Which of the waiting commits there is room for on the disk. */
import { StorageError } from '../interface.js';
import type { Proposal } from './plan.js';
import { roomFor } from './diskreserve.js';
import type { Space } from './diskreserve.js';

/** Superseded writes looked at in one transaction: enough to keep up with a stream of commits. */
const SWEEP_ENTRIES = 256;
/** The same on a full disk, where the reserve must last until pages come back. */
const SWEEP_ENTRIES_WHEN_FULL = 16;

interface Applicant extends Proposal {
  /** Bytes of keys and values. */
  readonly bytes: number;
  readonly reject: (error: StorageError) => void;
}

export interface Admitted<T> {
  readonly admitted: readonly T[];
  readonly sweepEntries: number;
}

/** Those of the group that there is room for; the others are refused. When the disk is full, deletes still pass. */
export async function admit<T extends Applicant>(group: readonly T[], space: Space): Promise<Admitted<T>> {
  const need = (some: readonly T[], sweepEntries: number) =>
    roomFor(
      some.reduce((sum, one) => sum + one.writes.length, 0),
      some.reduce((sum, one) => sum + one.bytes, 0),
      sweepEntries,
    );
  if (await space.take(need(group, SWEEP_ENTRIES), false))
    return { admitted: group, sweepEntries: SWEEP_ENTRIES };
  const [frees, grows] = [group.filter(onlyDeletes), group.filter((one) => !onlyDeletes(one))];
  for (const one of grows) one.reject(full());
  const sweepEntries = SWEEP_ENTRIES_WHEN_FULL;
  if (await space.take(need(frees, sweepEntries), true)) return { admitted: frees, sweepEntries };
  for (const one of frees) one.reject(full());
  return { admitted: [], sweepEntries };
}

function onlyDeletes({ writes }: Proposal): boolean {
  return writes.every((write) => write.value === undefined);
}

function full(): StorageError {
  return new StorageError({ code: 'unavailable', reason: 'the disk is full', outcome: 'none' });
}
