/** The seal of a backup: its checksum, encrypted as a record would be. Who has the store's key made it. */
import { headerIn, keyNameIn } from '../encryption/envelope.js';
import type { Keyring, Transformer } from '../encryption/interface.js';

/** The storage key that it is encrypted under; no record has it. */
const SEAL_KEY = 'backup/seal';

export const sealOf = (writer: Transformer, checksum: Buffer): Buffer => writer.encrypt(checksum, SEAL_KEY);

/** Whose key sealed it; `fault`: half a sentence on why it does not hold. */
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
