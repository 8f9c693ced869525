/**
 * Opens a store with its keys. A record of the store says that it is encrypted: it can be decrypted with these keys, or
 * the store is not opened. It also says whether records are believed that are not encrypted: in a store that was there
 * before encryption they are, until all of them have been encrypted.
 */
import type { Storage } from '../interface.js';
import { StorageError } from '../interface.js';
import { headerIn, isEncrypted, keyNameIn } from './envelope.js';
import type { Keyring } from './interface.js';
import { encryptedStorage } from './storage.js';

/** Its value is encrypted as any other. */
export const STATE_KEY = 'encryption/state';
const FORMAT = 1;

interface State {
  readonly format: number;
  /** Whether the store may hold records from before encryption. */
  readonly plaintext: boolean;
}

/** The store cannot be opened with these keys. One line, for the operator. */
export class WrongKeys extends Error {
  override readonly name = 'WrongKeys';
}

/** Further records that say it where the first is gone. */
const ALSO = ['identity/cluster'];

/** The name of the key that the store is encrypted with; undefined: it is not. Throws StorageError. */
export async function keyOfStore(engine: Storage): Promise<string | undefined> {
  for (const key of [STATE_KEY, ...ALSO]) {
    const { record } = await engine.get(key);
    if (record !== undefined && isEncrypted(record.value)) return keyNameIn(record.value);
  }
  return undefined;
}

/** @param source where the keys come from: `--encryption-key-file /etc/key`. Rejects with WrongKeys and StorageError. */
export async function openEncrypted(
  engine: Storage,
  keyring: Keyring,
  source: string,
): Promise<EncryptedStore> {
  const { record } = await engine.get(STATE_KEY);
  if (record !== undefined) checkKeys(record.value, keyring, source);
  const store = new EncryptedStore(engine, keyring);
  await store.readState();
  return store;
}

/** The state is read before anything is written: a store with other keys is left as it is. */
function checkKeys(value: Buffer, keyring: Keyring, source: string): void {
  if (!isEncrypted(value)) return;
  const name = keyNameIn(value);
  const reader = keyring.reader(headerIn(value) ?? '');
  const restore = 'give the keys that the store was written with; nothing was changed';
  if (reader === undefined)
    throw new WrongKeys(`the store is encrypted with key ${name}, which is not in ${source}: ${restore}`);
  try {
    reader.decrypt(value, STATE_KEY);
  } catch {
    throw new WrongKeys(
      `key ${name} of ${source} does not decrypt the store: it is another key of that name, or the record ${STATE_KEY} is damaged; ${restore}`,
    );
  }
}

/** Whether {@link EncryptedStore} has, or may have, records with another key than is written with now. Throws StorageError. */
export async function needsReencryption({
  engine,
  keyring,
  mayHoldPlaintext,
}: EncryptedStore): Promise<boolean> {
  if (mayHoldPlaintext) return true;
  const { record } = await engine.get(STATE_KEY);
  const wanted = keyring.writer(STATE_KEY)?.header.toString('latin1');
  return record !== undefined && (isEncrypted(record.value) ? headerIn(record.value) : undefined) !== wanted;
}

export class EncryptedStore {
  readonly storage: Storage;
  private believesPlaintext = true;

  constructor(
    readonly engine: Storage,
    readonly keyring: Keyring,
  ) {
    this.storage = encryptedStorage(engine, {
      writer: (key) => keyring.writer(key),
      reader: (header) => keyring.reader(header),
      plaintext: (key) => this.believesPlaintext || keyring.plaintext(key),
    });
  }

  /** Whether the store may hold records that must be encrypted and are not. */
  get mayHoldPlaintext(): boolean {
    return this.believesPlaintext;
  }

  /** Of the store as it is: one that is empty is new, and gets nothing that is not encrypted. */
  async readState(): Promise<void> {
    const { record } = await this.storage.get(STATE_KEY);
    if (record !== undefined) return this.learn(record.value);
    const { records } = await this.engine.scan({ start: '\u0001', end: '\u{10ffff}' }, { limit: 1 });
    this.believesPlaintext = records.length > 0;
  }

  /** Writes the state where there is none, before anything else is written: whoever opens the store has its keys then. */
  async begin(): Promise<void> {
    if ((await this.storage.get(STATE_KEY)).record !== undefined) return;
    const state: State = { format: FORMAT, plaintext: this.believesPlaintext };
    try {
      await this.storage.commit([{ key: STATE_KEY, value: encode(state), expect: 'absent' }]);
    } catch (error) {
      if (!(error instanceof StorageError) || error.failure.code !== 'exists') throw error;
      this.learn(error.failure.current.value);
    }
  }

  /** From now on no record is believed that is not encrypted and must be. All of them are. */
  async refusePlaintext(): Promise<void> {
    const value = encode({ format: FORMAT, plaintext: false });
    await this.storage.commit([{ key: STATE_KEY, value, expect: 'any' }]);
    this.believesPlaintext = false;
  }

  private learn(value: Buffer): void {
    const state = JSON.parse(value.toString()) as State;
    if (state.format !== FORMAT)
      throw new WrongKeys(
        `the store's encryption has format ${state.format}, of a newer release than this one`,
      );
    this.believesPlaintext = state.plaintext;
  }
}

const encode = (state: State): Buffer => Buffer.from(JSON.stringify(state));
