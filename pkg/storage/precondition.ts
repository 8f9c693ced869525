/** Commits that failed for a precondition. */
import { StorageError, type StorageFailure } from './interface.js';

const CODES = ['exists', 'not found', 'conflict'] as const;

export interface FailedPrecondition extends StorageError {
  readonly failure: Extract<StorageFailure, { readonly code: (typeof CODES)[number] }>;
}

/** Whether a commit failed because a record is not as it was expected, usually as another writer was faster. Nothing was written. */
export const isFailedPrecondition = (error: unknown): error is FailedPrecondition =>
  error instanceof StorageError && CODES.some((code) => code === error.failure.code);

/** The result of a commit; undefined: it {@link isFailedPrecondition failed}, as another writer was faster. Rejects with other errors. */
export async function unlessMoved<T>(commit: Promise<T>): Promise<T | undefined> {
  try {
    return await commit;
  } catch (error) {
    if (!isFailedPrecondition(error)) throw error;
    return undefined;
  }
}
