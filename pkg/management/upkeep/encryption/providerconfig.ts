/** Reads and validates the file of `--encryption-provider-config`, and calls its KMS plug-ins. */
import { messageOf } from '../../../apimachinery/caught.js';
import { parseYamlFile } from '../../../apimachinery/encoding/yaml/yamlfile.js';
import { configuredKeyring, kmsProvidersOf } from '../../../storage/encryption/configuration.js';
import type { Keyring, Transformer } from '../../../storage/encryption/interface.js';
import { KmsUnavailable } from '../../../storage/encryption/kms/interface.js';
import type { KmsPlugins, SeedStore, UsedProvider } from '../../../storage/encryption/kms/plugins.js';
import { notMade } from '../../../storage/encryption/kms/transformers.js';
import { dataKeyReaders } from '../../../storage/encryption/keyring.js';
import { StartError } from '../../../apimachinery/starterror.js';
import { readPrivate } from './keyfile.js';
import { SECRET_RECORDS } from '../../secretrecords.js';

/** A KMS plug-in is unavailable. The operation that needs it can be retried. */
export class PluginUnavailable extends StartError {}

/** The keys in the file itself, without those of KMS plug-ins. Throws StartError. */
export const readProviderKeys = (path: string, further: readonly Buffer[] = []): Keyring =>
  read(path, (parsed) => configuredKeyring(parsed, SECRET_RECORDS, dataKeyReaders(further)));

/** The KMS plug-ins in the file. Throws StartError. */
export const pluginsIn = (path: string): readonly UsedProvider[] => read(path, kmsProvidersOf);

/**
 * The keys in the file and those of its KMS plug-ins. Rejects with StartError, PluginUnavailable, WrongKeys and
 * StorageError.
 */
export async function loadProviders(
  path: string,
  further: readonly Buffer[],
  plugins: KmsPlugins,
  store: SeedStore,
): Promise<Keyring> {
  const { parsed, providers } = read(path, (found) => ({ parsed: found, providers: kmsProvidersOf(found) }));
  plugins.keep(providers.map(({ name }) => name));
  const loaded = new Map<string, readonly Transformer[]>();
  for (const provider of providers) {
    try {
      loaded.set(provider.name, await plugins.load(provider, store));
    } catch (error) {
      throw error instanceof KmsUnavailable ? new PluginUnavailable(error.message, { cause: error }) : error;
    }
  }
  return configuredKeyring(
    parsed,
    SECRET_RECORDS,
    dataKeyReaders(further),
    (provider) => loaded.get(provider.name) ?? [notMade(provider)],
  );
}

function read<T>(path: string, parse: (parsed: unknown) => T): T {
  const found = readPrivate('encryption-provider-config', path, (text) => ({ parsed: parse(yamlOf(text)) }));
  if (found !== undefined) return found.parsed;
  throw new StartError(`--encryption-provider-config ${path}: no such file or directory`);
}

/** Throws Error without the lines of the file that errors of the YAML parser contain. */
function yamlOf(text: string): unknown {
  try {
    return parseYamlFile(text);
  } catch (error) {
    // The error has no cause, as the cause would contain the lines.
    throw new Error(messageOf(error).split('\n', 1)[0]);
  }
}
