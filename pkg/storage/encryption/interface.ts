/** What encrypts values below the storage seam. */
import { describeFailure } from '../interface.js';

/** One key of one provider. Functions are synchronous: they run once for a write, and once where a record is read. */
export interface Transformer {
  /** What its values begin with; says provider, version and key. */
  readonly header: Buffer;
  /** For people: `aesgcm key "key1"`. */
  readonly keyName: string;
  /** The whole encrypted value, which can be decrypted under the same storage key alone. */
  encrypt(value: Buffer, key: string): Buffer;
  /** `value` with its header. Throws where it is not what was encrypted under this storage key. */
  decrypt(value: Buffer, key: string): Buffer;
}

/** Which records are encrypted, and by what. */
export interface Keyring {
  /** What encrypts what is written at this storage key; undefined: nothing. */
  writer(key: string): Transformer | undefined;
  /** What decrypts values that begin so; undefined where the key is not there. */
  reader(header: string): Transformer | undefined;
  /** Whether a record at this storage key is believed that is not encrypted. */
  plaintext(key: string): boolean;
  /** Tells apart which records are encrypted, and by what; undefined: as by default. */
  readonly rules?: string;
  /** All that may be what {@link writer} answers. */
  readonly writers: readonly Transformer[];
  /** The headers that {@link reader} knows. */
  readonly readers: readonly string[];
}

/** The store cannot be opened with these keys. One line, for the operator. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys';
}

/** Why a record cannot be decrypted. */
export interface Undecryptable {
  readonly key: string;
  readonly revision: number;
  /** The key that it names; `identity` where it is not encrypted and must be. */
  readonly keyName: string;
}

/** A record that cannot be decrypted, met where only records that can be are of use. */
export class UndecryptableRecord extends Error {
  override readonly name = 'UndecryptableRecord';
  constructor(readonly found: Undecryptable) {
    super(describeFailure({ code: 'undecryptable', ...found }));
  }
}
