/** A store that is read at one revision, beside the servers that it has. */
import { existsSync } from 'node:fs';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import { noKeys } from '../../../pkg/storage/encryption/keyring.js';
import { checkKeys, keyOfStore, STATE_KEY } from '../../../pkg/storage/encryption/openencrypted.js';
import { refuseUnfinished, UnfinishedRestore } from '../../../pkg/storage/backup/unfinished.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { StorageConfig } from '../options/complete.js';
import { currentKeys, keyFileOf, needingKeys, type EncryptionConfig } from '../server/encryption.js';
import { needingStore, openReading, type ReadStore } from '../server/storage.js';
import { StartError } from '../starterror.js';

export interface BackupSource {
  readonly engine: ReadStore;
  readonly revision: number;
  readonly keyring: Keyring;
}

/** What `step` makes of the store as it is now. Throws StartError. */
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
    return step({ engine: opened, revision, keyring });
  }
}

/** For people. */
export const sourceOf = (encryption: EncryptionConfig): string =>
  encryption.providerConfig === undefined
    ? `--encryption-key-file ${keyFileOf(encryption)}`
    : `--encryption-provider-config ${encryption.providerConfig}`;

/** Those that are there. Throws StartError. */
export function keysIfAny(encryption: EncryptionConfig): Keyring {
  if (encryption.providerConfig === undefined && !existsSync(keyFileOf(encryption))) return noKeys;
  return currentKeys(encryption);
}

/** None for a store that needs none and has no file of keys. */
async function keysFor(engine: Pick<Storage, 'get'>, encryption: EncryptionConfig): Promise<Keyring> {
  const needed = (await keyOfStore(engine)) !== undefined;
  return needed ? currentKeys(encryption) : keysIfAny(encryption);
}
