import { StorageError } from '../../storage/interface.js';

/** The result of a commit; undefined: another server came first. Rejects with StorageError `unavailable`. */
export async function unlessMoved<T>(commit: Promise<T>): Promise<T | undefined> {
  try {
    return await commit;
  } catch (error) {
    if (!(error instanceof StorageError) || error.failure.code === 'unavailable') throw error;
    return undefined;
  }
}
