/** The encryption keys of a store, from their files. */
import { existsSync } from 'node:fs';
import type { Logger } from '../../../server/logging/log.js';
import type { Keyring } from '../../../storage/encryption/interface.js';
import { type KmsPlugins, type SeedStore } from '../../../storage/encryption/kms/plugins.js';
import { dataKeyring, noKeys } from '../../../storage/encryption/keyring.js';
import {
  keyOfStore,
  openEncrypted,
  WrongKeys,
  type EncryptedStore,
  requireState,
} from '../../../storage/encryption/openencrypted.js';
import type { Storage } from '../../../storage/interface.js';
import { makeKeyFile, readKeyFile } from './keyfile.js';
import { loadProviders } from './providerconfig.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { SECRET_RECORDS } from '../../secretrecords.js';

export interface EncryptionConfig {
  /** Absolute path of an EncryptionConfiguration, which takes precedence over the key file. */
  readonly providerConfig: string | undefined;
  /** Absolute path. */
  readonly keyFile: string;
  /**
   * A file that is read if it exists, and never created: in the data directory, beside the data that it
   * protects.
   */
  readonly fallback: string | undefined;
  /** The plug-ins of the EncryptionConfiguration, and their state. */
  readonly plugins: KmsPlugins;
}

export interface EncryptionListener {
  /** Called with a file that was created. Absent: none is created, and an unencrypted store is only read. */
  readonly made?: (keyFile: string) => void;
}

/** Logs the location of the keys once. */
export function logKeyFile(log: Logger, keyFile: string): void {
  log.info(
    { keyFile },
    'made the keys that encrypt secrets in the store: keep a copy, without it the store cannot be read',
  );
}

/**
 * Opens the store with its keys, which are created if it is not encrypted yet. Throws StartError and
 * StorageError.
 */
export async function openWithKeys(
  engine: Storage,
  config: EncryptionConfig,
  { made }: EncryptionListener = {},
): Promise<EncryptedStore> {
  return needingKeys(
    keysOf(engine, config, made).then(({ keyring, source }) => openEncrypted(engine, keyring, source)),
  );
}

/** Returns the result of `step`. Throws StartError if keys are missing. */
export async function needingKeys<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw error instanceof WrongKeys ? new StartError(error.message, { cause: error }) : error;
  }
}

interface FoundKeys {
  readonly keyring: Keyring;
  /** The source of the keys, for the operator. */
  readonly source: string;
}

/** The files that contain keys, or may. */
export const filesOf = ({ providerConfig, keyFile, fallback }: EncryptionConfig): readonly string[] => [
  ...new Set([providerConfig, fallback, keyFile].filter((path) => path !== undefined)),
];

/** The file with data keys. */
export const keyFileOf = ({ keyFile, fallback }: EncryptionConfig): string =>
  fallback !== undefined && existsSync(fallback) ? fallback : keyFile;

/**
 * The current keys of the files, and the plug-ins that they name, for an existing store. Rejects with
 * StartError, WrongKeys and StorageError.
 * @param store with `commit` if a key may be created in it
 */
export async function currentKeys(config: EncryptionConfig, store: SeedStore): Promise<Keyring> {
  const path = keyFileOf(config);
  const found = readKeyFile(path);
  if (config.providerConfig !== undefined)
    return loadProviders(config.providerConfig, found ?? [], config.plugins, store);
  if (found !== undefined) return dataKeyring(found, SECRET_RECORDS);
  throw new StartError(`--encryption-key-file ${path}: no such file or directory`);
}

/** Why the plug-ins cannot be used; undefined if the configuration cannot name any. */
export const keyFaultsOf = ({
  providerConfig,
  plugins,
}: EncryptionConfig): (() => readonly string[]) | undefined =>
  providerConfig === undefined ? undefined : () => plugins.faults;

const sourceOf = (keyFile: string): string => `--encryption-key-file ${keyFile}`;

async function keysOf(
  engine: Storage,
  config: EncryptionConfig,
  made: EncryptionListener['made'],
): Promise<FoundKeys> {
  const { keyFile, providerConfig } = config;
  const found = readKeyFile(keyFile);
  if (providerConfig !== undefined) {
    const keyring = await loadProviders(providerConfig, found ?? [], config.plugins, {
      get: (key) => engine.get(key),
    });
    const source = `--encryption-provider-config ${providerConfig}`;
    const files = found === undefined ? source : `${source} and ${sourceOf(keyFile)}`;
    const [refused] = config.plugins.refused;
    return { keyring, source: refused === undefined ? files : `${files} (${refused})` };
  }
  if (found !== undefined) return { keyring: dataKeyring(found, SECRET_RECORDS), source: sourceOf(keyFile) };
  const name = await keyOfStore(engine);
  if (name !== undefined)
    throw new StartError(
      `--encryption-key-file ${keyFile}: there is no such file, and the store is encrypted with key ${name}: put the file back; nothing was changed`,
    );
  if (made === undefined) return { keyring: noKeys, source: sourceOf(keyFile) };
  // Before a key is made for a store whose own is missing.
  await requireState(engine);
  return makeKeys(config, made);
}

function makeKeys(
  { keyFile, fallback }: Pick<EncryptionConfig, 'keyFile' | 'fallback'>,
  made: (keyFile: string) => void,
): FoundKeys {
  if (keyFile === fallback) throw noPlace('this user has no home directory that can be read');
  const outcome = makeKeyFile(keyFile);
  if (outcome instanceof StartError) throw noPlace(outcome.message);
  if (outcome === 'made') made(keyFile);
  const keys = readKeyFile(keyFile);
  if (keys === undefined)
    throw new StartError(`--encryption-key-file ${keyFile}: it was removed while it was read`);
  return { keyring: dataKeyring(keys, SECRET_RECORDS), source: sourceOf(keyFile) };
}

/** The keys must not be in the data directory: a copy of it would contain them. */
const noPlace = (why: string): StartError =>
  new StartError(
    `the keys that encrypt secrets in the store cannot be made: ${why}; name with --encryption-key-file a file that can be made, apart from the data directory`,
  );
