/**
 * Opens a store with its keys. A record of the store states that it is encrypted: if these keys cannot decrypt that
 * record, the store is not opened. The record also states whether unencrypted records are accepted: after the provider
 * `identity` they are, until all records have been encrypted.
 */
import { hostname } from 'node:os';
import { StorageError, type Storage, type Write } from '../interface.js';
import { FORMAT_KEY, formatValue, NewerStore, refuseNewer } from '../storeformat.js';
import { NO_RESTORE, RESTORE_KEY, UnfinishedRestore } from '../unfinished.js';
import { ALL_KEYS } from '../pages.js';
import { headerIn, isEncrypted, keyNameIn } from './envelope.js';
import { WrongKeys, type Keyring } from './interface.js';
import { isFailedPrecondition } from '../precondition.js';
import { LiveKeyring } from './livekeyring.js';
import { lacks, Membership } from './membership.js';
import { readServers, SERVERS_KEY } from './serversrecord.js';
import { encryptedStorage } from './storage.js';
import { parseStored } from '../../apimachinery/encoding/parsestored.js';

export { WrongKeys } from './interface.js';

/** The value of this record is encrypted like any other. */
export const STATE_KEY = 'encryption/state';
const FORMAT = 1;

export interface State {
  readonly format: number;
  /** Whether the store may contain records that the provider `identity` wrote. */
  readonly plaintext: boolean;
  /** The rules by which all records were encrypted; absent: the default rules. */
  readonly rules?: string;
}

/** If the creation of a store was interrupted, the store contains only records with this prefix. */
const ENCRYPTION_PREFIX = 'encryption/';
const MAX_ENCRYPTION_RECORDS = 50;

/** The name of the key that encrypts the store; undefined: the store is not encrypted. Throws StorageError. */
export async function keyOfStore(engine: Pick<Storage, 'get'>): Promise<string | undefined> {
  const { record } = await engine.get(STATE_KEY);
  return record !== undefined && isEncrypted(record.value) ? keyNameIn(record.value) : undefined;
}

/** Whether the store has records besides those of its encryption. */
async function hasRecords(engine: Pick<Storage, 'scan'>): Promise<boolean> {
  const { records } = await engine.scan(ALL_KEYS, { limit: MAX_ENCRYPTION_RECORDS });
  return !records.every(({ key }) => key.startsWith(ENCRYPTION_PREFIX));
}

/** Rejects with WrongKeys if the store has records, and not the state that servers write before them, and StorageError. */
export async function requireState(engine: Pick<Storage, 'get' | 'scan'>): Promise<void> {
  // In this order, as another server may be writing both.
  if ((await hasRecords(engine)) && (await engine.get(STATE_KEY)).record === undefined) throw lacksState();
}

const lacksState = (): WrongKeys =>
  new WrongKeys(
    `the store has records, and not ${STATE_KEY}, which servers write first: restore a backup; nothing was changed`,
  );

/**
 * Opens a store with its keys. Rejects with WrongKeys and StorageError.
 *
 * @param source the source of the keys, for messages: `--encryption-key-file /etc/key`
 */
export async function openEncrypted(
  engine: Storage,
  keyring: Keyring,
  source: string,
): Promise<EncryptedStore> {
  const { record } = await engine.get(STATE_KEY);
  if (record !== undefined) checkKeys(record.value, keyring, source);
  const { used } = await readServers(engine);
  const live = new LiveKeyring(keyring);
  live.allow(used.length > 0 ? used : headersOf(record?.value));
  const lacking = live.lacking();
  if (lacking !== undefined) throw lacks(lacking, source);
  const store = new EncryptedStore(engine, live, source);
  await store.readState();
  return store;
}

const headersOf = (value: Buffer | undefined): string[] => {
  const header = value === undefined || !isEncrypted(value) ? undefined : headerIn(value);
  return header === undefined ? [] : [header];
};

/**
 * Throws WrongKeys if these keys do not decrypt the state of the store. `value`: as the engine stores it. It is checked
 * before anything is written, so that a store with other keys stays unchanged.
 */
export function checkKeys(value: Buffer, keyring: Keyring, source: string): void {
  if (!isEncrypted(value)) return;
  const name = keyNameIn(value);
  const reader = keyring.reader(headerIn(value) ?? '');
  const restore = 'give the keys that the store was written with; nothing was changed';
  if (reader === undefined) throw lacks(headerIn(value) ?? name, source);
  try {
    reader.decrypt(value, STATE_KEY);
  } catch {
    throw new WrongKeys(
      `key ${name} of ${source} does not decrypt the store: it is another key of that name, or the record ${STATE_KEY} is damaged; ${restore}`,
    );
  }
}

export class EncryptedStore {
  readonly storage: Storage;
  readonly membership: Membership;
  private believesPlaintext = true;

  constructor(
    readonly engine: Storage,
    readonly keyring: LiveKeyring,
    source: string,
  ) {
    this.membership = new Membership(engine, keyring, { name: hostname(), source });
    const storage = encryptedStorage(engine, {
      writer: (key) => keyring.writer(key),
      reader: (header) => keyring.reader(header),
      plaintext: (key) => this.believesPlaintext || key === SERVERS_KEY || keyring.plaintext(key),
      writers: [],
      readers: [],
    });
    this.storage = {
      ...storage,
      commit: async (writes, guards) => {
        if (!this.membership.current) await this.comeBack();
        return storage.commit(writes, guards);
      },
      close: async () => {
        await this.membership.leave().catch(() => undefined);
        await storage.close();
      },
    };
  }

  /**
   * Throws StorageError `unavailable` if other servers have started to use keys that this server does not have, or a
   * newer format.
   */
  private async comeBack(): Promise<void> {
    try {
      await refuseNewer(this.engine);
      await this.membership.renew();
    } catch (error) {
      if (!(error instanceof WrongKeys || error instanceof NewerStore)) throw error;
      throw new StorageError({ code: 'unavailable', reason: error.message, outcome: 'none' });
    }
  }

  /** Whether the store may contain unencrypted records that must be encrypted. */
  get mayHoldPlaintext(): boolean {
    return this.believesPlaintext;
  }

  /** Whether all servers of the store used only the provider `identity`, and these keys encrypt. */
  private async wasDecrypted(keyring: Pick<Keyring, 'plaintext'>): Promise<boolean> {
    if (keyring.plaintext(STATE_KEY)) return false;
    const { record } = await this.engine.get(STATE_KEY);
    return record !== undefined && !isEncrypted(record.value);
  }

  /** Called before the keys are replaced. Throws StorageError. */
  async prepareFor(keyring: Keyring): Promise<void> {
    if (this.believesPlaintext || !(await this.wasDecrypted(keyring))) return;
    const value = encode({ format: FORMAT, plaintext: true, rules: keyring.rules });
    await this.storage.commit([{ key: STATE_KEY, value, expect: 'any' }]);
    this.believesPlaintext = true;
  }

  /**
   * Reads whether unencrypted records are accepted. An empty store is new, and gets only encrypted records. Rejects
   * with WrongKeys if the store has records and no state.
   */
  async readState(): Promise<void> {
    let { record } = await this.storage.get(STATE_KEY);
    if (record === undefined) {
      this.believesPlaintext = false;
      if (!(await hasRecords(this.engine))) return;
      // Another server that has written records meanwhile wrote the state before them.
      ({ record } = await this.storage.get(STATE_KEY));
      if (record === undefined) throw lacksState();
    }
    this.believesPlaintext = stateIn(record.value).plaintext || (await this.wasDecrypted(this.keyring));
  }

  /**
   * Joins the servers of the store, and writes the state if there is none, before anything else is written, so that
   * whoever opens the store has its keys. Rejects with WrongKeys and StorageError, and as `prepare`.
   *
   * @param prepare returns the keys, if some can only be created now
   * @param program the version of the server: a new store has its format from the start
   */
  async begin(prepare?: () => Promise<Keyring>, program?: string): Promise<void> {
    if (prepare !== undefined) this.keyring.replace(await prepare());
    await this.membership.renew();
    const { record } = await this.storage.get(STATE_KEY);
    if (record !== undefined && (!this.believesPlaintext || stateIn(record.value).plaintext)) return;
    const { rules } = this.keyring;
    const state: State = { format: FORMAT, plaintext: this.believesPlaintext, rules };
    const expect = record?.revision ?? 'absent';
    const writes: Write[] = [{ key: STATE_KEY, value: encode(state), expect }];
    if (record === undefined && program !== undefined && !this.believesPlaintext && !this.membership.hasOlder)
      writes.push({ key: FORMAT_KEY, value: formatValue(program), expect: 'absent' });
    try {
      await this.storage.commit(writes, NO_RESTORE);
    } catch (error) {
      if (!isFailedPrecondition(error)) throw error;
      if (error.failure.key === RESTORE_KEY) throw new WrongKeys(new UnfinishedRestore().message);
      // Another server has written the state first.
      await this.readState();
    }
  }

  /**
   * All records are encrypted by the current rules: from now on, unencrypted records that must be encrypted are
   * refused.
   */
  async refusePlaintext(): Promise<void> {
    const { record } = await this.storage.get(STATE_KEY);
    const state = record && stateIn(record.value);
    if (state?.plaintext === false && state.rules === this.keyring.rules) return this.learn(state);
    const value = encode({ format: FORMAT, plaintext: false, rules: this.keyring.rules });
    await this.storage.commit([{ key: STATE_KEY, value, expect: 'any' }]);
    this.believesPlaintext = false;
  }

  private learn({ plaintext }: State): void {
    this.believesPlaintext = plaintext;
  }
}

/** Throws WrongKeys if a newer release wrote the state. */
export function stateIn(value: Buffer): State {
  const state = parseStored<State>(value);
  if (state.format !== FORMAT)
    throw new WrongKeys(
      `the store's encryption has format ${state.format}, of a newer release than this one`,
    );
  return state;
}

const encode = (state: State): Buffer => Buffer.from(JSON.stringify(state));
