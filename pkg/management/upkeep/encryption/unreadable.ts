/** Records that cannot be decrypted, and so cannot be re-encrypted. */
import type { Keyring } from '../../../storage/encryption/interface.js';
import { surveyOf } from '../../../storage/encryption/survey.js';
import type { Storage } from '../../../storage/interface.js';
import { recordsText } from '../counted.js';
import { StartError } from '../../../apimachinery/starterror.js';

/**
 * Finds records that were damaged, or written by others, after the store was completely encrypted, so that the state of
 * the store does not include them. Throws StartError and StorageError.
 */
export async function refuseStuck(engine: Pick<Storage, 'get' | 'scan'>, keyring: Keyring): Promise<void> {
  const { stuck } = await surveyOf(engine, keyring);
  if (stuck.length > 0) throw unreadableError(stuck);
}

export const unreadableError = (keys: readonly string[]): StartError =>
  new StartError(
    `${recordsText(keys.length)} cannot be read, and so not be encrypted, ${keys[0] ?? ''} among them: encryption status lists all, and why; delete them or give their keys, then run this again`,
  );
