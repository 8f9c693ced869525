import { internalError, type StatusError } from '../apimachinery/errors.js';
import type { Undecryptable } from '../storage/encryption/interface.js';
import { DAMAGED } from '../storage/interface.js';

/** Status 500, which names the key and none of the content. */
export function undecryptableError({ key, keyName }: Undecryptable): StatusError {
  return internalError(`the record "${key}" cannot be read: ${reasonOf(keyName)}`);
}

function reasonOf(keyName: string): string {
  if (keyName === DAMAGED)
    return 'it is damaged, not as it was written; restore the store from a backup, or delete the object with ignoreStoreReadErrorWithClusterBreakingPotential=true: finalizers are ignored, and the garbage collector deletes dependents, as their owner is gone: restore the store where it has any';
  if (keyName === 'identity') return 'it is not encrypted, and must be';
  return `encryption key "${keyName}" is not there, or does not fit what is stored`;
}
