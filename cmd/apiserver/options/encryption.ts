/** The encryption keys of the store by the options. */
import { accessSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf } from '../../../pkg/apimachinery/caught.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import { defaultKeyFile, readKeyFile } from '../../../pkg/management/upkeep/encryption/keyfile.js';
import type { EncryptionConfig } from '../../../pkg/management/upkeep/encryption/keys.js';
import { readProviderKeys } from '../../../pkg/management/upkeep/encryption/providerconfig.js';
import { KmsPlugins } from '../../../pkg/storage/encryption/kms/plugins.js';
import type { Options } from './options.js';

/**
 * Reads the files, so that errors are reported before anything starts. Throws StartError.
 * @param dataDir of the embedded store; undefined: the store is elsewhere
 */
export function encryptionOf(
  {
    encryptionKeyFile,
    encryptionProviderConfig,
  }: Pick<Options, 'encryptionKeyFile' | 'encryptionProviderConfig'>,
  dataDir: string | undefined,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EncryptionConfig {
  const keys = placeOfKeys(encryptionKeyFile, dataDir, env);
  const providerConfig =
    encryptionProviderConfig === undefined ? undefined : resolve(encryptionProviderConfig);
  const found = readKeyFile(keys.keyFile);
  if (providerConfig !== undefined) readProviderKeys(providerConfig, found);
  return { ...keys, providerConfig, plugins: new KmsPlugins() };
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

/**
 * Whether the server is permitted to look for the file: the home of a service's user may belong to another
 * user.
 */
function isReached(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    return codeOf(error) !== 'EACCES';
  }
}
