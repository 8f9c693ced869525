/** Records that cannot be read, and so not be brought to another key. */
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import { surveyOf } from '../../../pkg/storage/encryption/survey.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { recordsText } from '../counted.js';
import { StartError } from '../starterror.js';

/**
 * A record that was damaged, or put there from outside, since all was encrypted: the store does not know of it. Throws StartError and
 * StorageError.
 */
export async function refuseStuck(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<void> {
  const { stuck } = await surveyOf(engine, keyring);
  if (stuck.length > 0) throw unreadableError(stuck);
}

export const unreadableError = (keys: readonly string[]): StartError =>
  new StartError(
    `${recordsText(keys.length)} cannot be read, and so not be encrypted, ${keys[0] ?? ''} among them: encryption status lists all, and why; delete them or give their keys, then run this again`,
  );
