/** Marks a store into which a restore runs, so that no server uses it before the restore is complete. */
import type { Guard, Storage } from './interface.js';

/** The key of a record that exists while a restore runs. */
export const RESTORE_KEY = 'restore/unfinished';

/** A precondition for commits that must fail once a restore into the store has started. */
export const NO_RESTORE: readonly Guard[] = [{ key: RESTORE_KEY, expect: 'absent' }];

/** A restore into the store was not completed. The message is one line, for the operator. */
export class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
  constructor() {
    super(
      'the store holds a part of a backup, as a restore into it was not finished: run management-apiserver restore again, or begin with an empty store',
    );
  }
}

/** Throws UnfinishedRestore and StorageError. */
export async function refuseUnfinished(engine: Pick<Storage, 'get'>): Promise<void> {
  if ((await engine.get(RESTORE_KEY)).record !== undefined) throw new UnfinishedRestore();
}
