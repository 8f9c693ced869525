/**
 * The seal of a backup: its checksum, encrypted like a record. A valid seal proves that the writer had the store's key.
 */
import { headerIn, keyNameIn } from '../encryption/envelope.js';
import type { Keyring, Transformer } from '../encryption/interface.js';

/** The storage key that the seal is bound to; no record has it. */
const SEAL_KEY = 'backup/seal';

export const sealOf = (writer: Transformer, checksum: Buffer): Buffer => writer.encrypt(checksum, SEAL_KEY);

/** `keyName`: the key that encrypted it. `fault`: why the seal is invalid, as a predicate of the file. */
export interface Seal {
  readonly keyName: string;
  readonly fault?: string;
}

export function checkSeal(seal: Buffer, checksum: Buffer, keyring: Keyring): Seal {
  const keyName = keyNameIn(seal);
  const reader = keyring.reader(headerIn(seal) ?? '');
  if (reader === undefined) return { keyName, fault: `is sealed with key ${keyName}, which is not given` };
  try {
    if (reader.decrypt(seal, SEAL_KEY).equals(checksum)) return { keyName };
  } catch {
    return { keyName, fault: `is sealed with another key than the ${keyName} that is given` };
  }
  return { keyName, fault: 'has the seal of another backup' };
}
