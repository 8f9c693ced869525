/** Encryption at rest, between the storage interface and the engine. */
import { describeFailure } from '../interface.js';

/**
 * One key of one provider. The functions are synchronous: they run once for each write and once for each read from the
 * engine.
 */
export interface Transformer {
  /** The prefix of its values: provider, version and key. */
  readonly header: Buffer;
  /** For messages: `aesgcm key "key1"`. */
  readonly keyName: string;
  /** The encrypted value. It is authenticated together with its storage key. */
  encrypt(value: Buffer, key: string): Buffer;
  /** `value` includes its prefix. Throws if authentication with this storage key fails. */
  decrypt(value: Buffer, key: string): Buffer;
}

/** Which records are encrypted, and with which key. */
export interface Keyring {
  /** The key that encrypts writes at this storage key; undefined: none. */
  writer(key: string): Transformer | undefined;
  /** The key that decrypts values with this prefix; undefined if it is missing. */
  reader(header: string): Transformer | undefined;
  /** Whether an unencrypted record at this storage key is accepted. */
  plaintext(key: string): boolean;
  /** Identifies the rules by which records are encrypted; undefined: the default rules. */
  readonly rules?: string;
  /** All keys that {@link writer} may return. */
  readonly writers: readonly Transformer[];
  /** The prefixes that {@link reader} knows. */
  readonly readers: readonly string[];
}

/** The store cannot be opened with these keys. The message is one line, for the operator. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys';
}

/** Why a record cannot be decrypted. */
export interface Undecryptable {
  readonly key: string;
  readonly revision: number;
  /** The key that the record names; `identity` if it is unencrypted although it must not be. */
  readonly keyName: string;
}

/** A record cannot be decrypted. Thrown where the caller needs all records to be readable. */
export class UndecryptableRecord extends Error {
  override readonly name = 'UndecryptableRecord';
  constructor(readonly found: Undecryptable) {
    super(describeFailure({ code: 'undecryptable', ...found }));
  }
}
