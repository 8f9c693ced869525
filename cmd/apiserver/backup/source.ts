/** A store that is read at one revision, beside the servers that it has. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import { noKeys } from '../../../pkg/storage/encryption/keyring.js';
import { checkKeys, keyOfStore, STATE_KEY } from '../../../pkg/storage/encryption/openencrypted.js';
import { refuseUnfinished, UnfinishedRestore } from '../../../pkg/storage/backup/unfinished.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { StorageConfig } from '../options/complete.js';
import { currentKeys, keyFileOf, needingKeys, type EncryptionConfig } from '../server/encryption.js';
import { needingStore, openEngine } from '../server/storage.js';
import { inWords, StartError } from '../starterror.js';

/** Without `commit` where a server has the store to itself. */
export type ReadStore = Pick<Storage, 'get' | 'scan'> & Partial<Pick<Storage, 'commit'>>;

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

async function openReading(config: StorageConfig): Promise<ReadStore & Pick<Storage, 'close'>> {
  if (config.engine !== 'embedded') return openEngine(config, {});
  if (existsSync(join(config.directory, 'data.mdb'))) {
    const { readEmbedded } = await import('../../../pkg/storage/embedded/readonly.js');
    const engine = await readEmbedded(config.directory).catch((error: unknown) => {
      throw new StartError(`the store in ${config.directory} cannot be read: ${inWords(error)}`);
    });
    if (engine !== undefined) return engine;
  }
  throw new StartError(
    `there is no store in ${config.directory}: say with --data-dir or --etcd-servers where it is`,
  );
}

/** For people. */
export const sourceOf = (encryption: EncryptionConfig): string =>
  encryption.providerConfig === undefined
    ? `--encryption-key-file ${keyFileOf(encryption)}`
    : `--encryption-provider-config ${encryption.providerConfig}`;

/** None for a store that needs none and has no file of keys. */
async function keysFor(engine: Pick<Storage, 'get'>, encryption: EncryptionConfig): Promise<Keyring> {
  const without =
    encryption.providerConfig === undefined &&
    !existsSync(keyFileOf(encryption)) &&
    (await keyOfStore(engine)) === undefined;
  return without ? noKeys : currentKeys(encryption);
}
