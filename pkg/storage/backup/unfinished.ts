/** A store that is being filled by a restore: nobody serves it before it is whole. */
import type { Guard, Storage } from '../interface.js';

/** The record is there from before the first record is restored until after the last one. */
export const RESTORE_KEY = 'restore/unfinished';

/** For a commit that must fail once a restore has begun in the store. */
export const NO_RESTORE: readonly Guard[] = [{ key: RESTORE_KEY, expect: 'absent' }];

/** The store has a part of a backup. One line, for the operator. */
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
