/** The records that are encrypted unless an encryption configuration states otherwise: all that contain secrets. */
import type { Keyring } from './interface.js';

/** The prefix of the records of data keys that a KMS encrypts. These records are not encrypted otherwise. */
export const SEEDS_PREFIX = 'encryption/seeds/';

/**
 * The prefixes of records of the server itself: identity, signing keys, key hashes, and other records that clients
 * never see.
 */
const INTERNAL = ['identity/', 'private/', 'registry/private/', 'encryption/state'];

/** The records that hold secrets, by the prefixes of their storage keys. */
export class SecretRecords {
  private readonly prefixes: readonly string[];

  /** @param kinds prefixes of the kinds with secret members, such as `registry/core/secrets/` */
  constructor(kinds: readonly string[]) {
    this.prefixes = [...INTERNAL, ...kinds];
  }

  /** Whether the record at this storage key is encrypted by default. */
  holds(key: string): boolean {
    return this.prefixes.some((prefix) => key.startsWith(prefix));
  }

  /** The prefixes whose records the keyring writes unencrypted. */
  inPlainText(keyring: Pick<Keyring, 'writer'>): readonly string[] {
    return this.prefixes.filter((prefix) => keyring.writer(prefix) === undefined);
  }
}
