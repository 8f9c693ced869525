/** Reads a store at one revision, while servers use it. */
import { existsSync } from 'node:fs';
import type { Keyring, Transformer } from '../../../storage/encryption/interface.js';
import { dataKeyring, noKeys } from '../../../storage/encryption/keyring.js';
import { SEEDS_PREFIX } from '../../../storage/encryption/selection.js';
import { textOfHeader } from '../../../storage/encryption/envelope.js';
import { readServers } from '../../../storage/encryption/serversrecord.js';
import { checkKeys, keyOfStore, STATE_KEY } from '../../../storage/encryption/openencrypted.js';
import { refuseUnfinished, UnfinishedRestore } from '../../../storage/unfinished.js';
import type { Storage, StoredRecord } from '../../../storage/interface.js';
import type { StorageConfig } from '../storageconfig.js';
import { currentKeys, keyFileOf, needingKeys, type EncryptionConfig } from '../encryption/keys.js';
import { readKeyFile } from '../encryption/keyfile.js';
import { readProviderKeys, loadProviders, pluginsIn } from '../encryption/providerconfig.js';
import { needingStore, openReading, type ReadStore } from '../openstorage.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { SECRET_RECORDS } from '../../secretrecords.js';

export interface BackupSource {
  readonly engine: ReadStore;
  readonly revision: number;
  readonly keyring: Keyring;
  /** Encrypts as the servers do now; all of them have this key. */
  readonly writer: Transformer | undefined;
}

/** Opens the current store for `step`, and returns its result. Throws StartError. */
export async function readingStore<T>(
  config: StorageConfig,
  encryption: EncryptionConfig,
  step: (source: BackupSource) => Promise<T>,
): Promise<T> {
  const engine = await openReading(config);
  try {
    return await needingStore(config, needingKeys(readAll(engine)));
  } finally {
    await engine.close();
  }

  async function readAll(opened: ReadStore): Promise<T> {
    try {
      await refuseUnfinished(opened);
    } catch (error) {
      throw error instanceof UnfinishedRestore ? new StartError(error.message) : error;
    }
    const keyring = await keysFor(opened, encryption);
    const { revision, record } = await opened.get(STATE_KEY);
    if (record !== undefined) checkKeys(record.value, keyring, sourceOf(encryption));
    return step({ engine: opened, revision, keyring, writer: await writerOf(opened, keyring) });
  }
}

/** A key that records may already need: a new key may not be available to everyone who opens the backup. */
async function writerOf(engine: Pick<Storage, 'get'>, keyring: Keyring): Promise<Transformer | undefined> {
  const { used } = await readServers(engine);
  const writer = keyring.writers.find((one) => used.length === 0 || used.includes(textOfHeader(one)));
  const fallback = used.find((header) => keyring.reader(header) !== undefined);
  return writer ?? (fallback === undefined ? undefined : keyring.reader(fallback));
}

/** The source of the keys, for messages. */
export const sourceOf = (encryption: EncryptionConfig): string =>
  encryption.providerConfig === undefined
    ? `--encryption-key-file ${keyFileOf(encryption)}${existsSync(keyFileOf(encryption)) ? '' : ', a file that does not exist'}`
    : `--encryption-provider-config ${encryption.providerConfig}`;

/** The keys to open a backup. */
export interface BackupKeys {
  readonly keyring: Keyring;
  /** Whether stores with these keys are encrypted. */
  readonly encrypts: boolean;
  /**
   * Returns the keyring with the data keys of a KMS provider, if the record contains data keys; undefined otherwise.
   */
  readonly withSeeds?: (record: StoredRecord) => Promise<Keyring> | undefined;
}

/** The keys in the configured files. Throws StartError. */
export function keysOfBackup(encryption: EncryptionConfig): BackupKeys {
  const { providerConfig, plugins } = encryption;
  const keyFile = readKeyFile(keyFileOf(encryption));
  if (providerConfig === undefined)
    return keyFile === undefined
      ? { keyring: noKeys, encrypts: false }
      : { keyring: dataKeyring(keyFile, SECRET_RECORDS), encrypts: true };
  const keyring = readProviderKeys(providerConfig, keyFile);
  const named = pluginsIn(providerConfig).map(({ name }) => SEEDS_PREFIX + name);
  const found = new Map<string, StoredRecord>();
  return {
    keyring,
    encrypts: keyring.writers.length > 0,
    withSeeds(record) {
      if (!named.includes(record.key)) return undefined;
      found.set(record.key, record);
      const get: Storage['get'] = (key) => Promise.resolve({ revision: 0, record: found.get(key) });
      return needingKeys(loadProviders(providerConfig, keyFile ?? [], plugins, { get }));
    },
  };
}

/** No keys if the store needs none and no file of keys exists. */
async function keysFor(engine: Pick<Storage, 'get'>, encryption: EncryptionConfig): Promise<Keyring> {
  const none = encryption.providerConfig === undefined && !existsSync(keyFileOf(encryption));
  if (none && (await keyOfStore(engine)) === undefined) return noKeys;
  return currentKeys(encryption, { get: (key) => engine.get(key) });
}
