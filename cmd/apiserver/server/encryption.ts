/** The keys that values in the store are encrypted with, as options say. */
import { accessSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logger } from '../../../pkg/server/logging/log.js';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import type { SeedStore } from '../../../pkg/storage/encryption/kms/plugins.js';
import { KmsPlugins } from '../../../pkg/storage/encryption/kms/plugins.js';
import { dataKeyring, noKeys } from '../../../pkg/storage/encryption/keyring.js';
import type { EncryptedStore } from '../../../pkg/storage/encryption/openencrypted.js';
import { keyOfStore, openEncrypted, WrongKeys } from '../../../pkg/storage/encryption/openencrypted.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { defaultKeyFile, makeKeyFile, readKeyFile } from '../encryption/keyfile.js';
import { readProviderKeys, loadProviders } from '../encryption/providerconfig.js';
import type { Options } from '../options/options.js';
import { StartError } from '../starterror.js';
import { codeOf } from '../../../pkg/apimachinery/caught.js';

export interface EncryptionConfig {
  /** Absolute; an EncryptionConfiguration, which goes before the key file. */
  readonly providerConfig: string | undefined;
  /** Absolute. */
  readonly keyFile: string;
  /** Where the file is read if it is there, and never made: in the data directory, beside what it protects. */
  readonly fallback: string | undefined;
  /** How long a store on etcd from before encryption gets nothing encrypted, in ms. */
  readonly delayMs: number;
  /** Those that the EncryptionConfiguration names, and what they have answered. */
  readonly plugins: KmsPlugins;
}

export interface EncryptionListener {
  /** Told of a file that was made. Absent: none is made; a store that is not encrypted is only read. */
  readonly made?: (keyFile: string) => void;
}

/**
 * Reads what is there, so that what is wrong with it is said before anything starts. Throws StartError.
 * @param dataDir of the embedded store; undefined: the store is elsewhere
 */
export function encryptionOf(
  {
    encryptionKeyFile,
    encryptionProviderConfig,
    encryptionDelay: delayMs,
  }: Pick<Options, 'encryptionKeyFile' | 'encryptionProviderConfig' | 'encryptionDelay'>,
  dataDir: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EncryptionConfig {
  const keys = placeOfKeys(encryptionKeyFile, dataDir, env);
  const providerConfig =
    encryptionProviderConfig === undefined ? undefined : resolve(encryptionProviderConfig);
  const found = readKeyFile(keys.keyFile);
  if (providerConfig !== undefined) readProviderKeys(providerConfig, found);
  return { ...keys, providerConfig, delayMs, plugins: new KmsPlugins() };
}

function placeOfKeys(
  given: string | undefined,
  dataDir: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Pick<EncryptionConfig, 'keyFile' | 'fallback'> {
  if (given !== undefined) return { keyFile: resolve(given), fallback: undefined };
  const fallback = dataDir === undefined ? undefined : join(dataDir, 'encryption.key');
  if (fallback !== undefined && existsSync(fallback)) return { keyFile: fallback, fallback };
  const keyFile = defaultKeyFile(env);
  if (fallback === undefined) {
    if (keyFile !== undefined) return { keyFile, fallback };
    throw new StartError('--encryption-key-file must be given: this user has no home directory');
  }
  return { keyFile: keyFile !== undefined && isReached(keyFile) ? keyFile : fallback, fallback };
}

/** Whether nothing forbids to look for the file: the home of a service's user may be another's. */
function isReached(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    return codeOf(error) !== 'EACCES';
  }
}

/** Where the keys are, told once. */
export function logKeyFile(log: Logger, keyFile: string): void {
  log.info(
    { keyFile },
    'made the keys that encrypt secrets in the store: keep a copy, without it the store cannot be read',
  );
}

/** The store with its keys; they are made for one that is not encrypted yet. Throws StartError and StorageError. */
export async function openWithKeys(
  engine: Storage,
  config: EncryptionConfig,
  { made }: EncryptionListener = {},
): Promise<EncryptedStore> {
  return needingKeys(
    keysOf(engine, config, made).then(({ keyring, source }) =>
      openEncrypted(engine, keyring, source, config.delayMs),
    ),
  );
}

/** What `step` answers. Throws StartError where keys are missing. */
export async function needingKeys<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw error instanceof WrongKeys ? new StartError(error.message, { cause: error }) : error;
  }
}

interface FoundKeys {
  readonly keyring: Keyring;
  /** For the operator. */
  readonly source: string;
}

/** The files that hold keys, or may. */
export const filesOf = ({ providerConfig, keyFile, fallback }: EncryptionConfig): readonly string[] => [
  ...new Set([providerConfig, fallback, keyFile].filter((path) => path !== undefined)),
];

/** The one that has data keys. */
export const keyFileOf = ({ keyFile, fallback }: EncryptionConfig): string =>
  fallback !== undefined && existsSync(fallback) ? fallback : keyFile;

/**
 * The keys that the files have now, and the plug-ins that they name, for a store that is there. Rejects with StartError, with WrongKeys
 * and StorageError.
 * @param store with `commit`, where a key may be made in it
 */
export async function currentKeys(config: EncryptionConfig, store: SeedStore): Promise<Keyring> {
  const path = keyFileOf(config);
  const found = readKeyFile(path);
  if (config.providerConfig !== undefined)
    return loadProviders(config.providerConfig, found ?? [], config.plugins, store);
  if (found !== undefined) return dataKeyring(found);
  throw new StartError(`--encryption-key-file ${path}: no such file or directory`);
}

/** Why the plug-ins for keys cannot be used; undefined where the configuration can name none. */
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
  if (found !== undefined) return { keyring: dataKeyring(found), source: sourceOf(keyFile) };
  const name = await keyOfStore(engine);
  if (name !== undefined)
    throw new StartError(
      `--encryption-key-file ${keyFile}: there is no such file, and the store is encrypted with key ${name}: put the file back; nothing was changed`,
    );
  if (made === undefined) return { keyring: noKeys, source: sourceOf(keyFile) };
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
  return { keyring: dataKeyring(keys), source: sourceOf(keyFile) };
}

/** The data directory is none: whoever gets a copy of it would have the keys, too. */
const noPlace = (why: string): StartError =>
  new StartError(
    `the keys that encrypt secrets in the store cannot be made: ${why}; name with --encryption-key-file a file that can be made, apart from the data directory`,
  );
