/** `management-apiserver encryption`: shows the keys in use, adds a key, and re-encrypts the store. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keyNameOf } from '../../../pkg/storage/encryption/envelope.js';
import type { Keyring } from '../../../pkg/storage/encryption/interface.js';
import { isUpToDate, surveyOf } from '../../../pkg/storage/encryption/survey.js';
import { refuseUnfinished } from '../../../pkg/storage/unfinished.js';
import { StorageError, type Storage } from '../../../pkg/storage/interface.js';
import { addKey, KeyIsBeingAdded } from '../../../pkg/management/upkeep/encryption/addkey.js';
import { encryptionConfigOf, storageConfigOf } from '../options/complete.js';
import {
  currentKeys,
  keyFileOf,
  needingKeys,
  type EncryptionConfig,
} from '../../../pkg/management/upkeep/encryption/keys.js';
import { statusText } from '../../../pkg/management/upkeep/encryption/encryptionstatus.js';
import { migrate } from '../../../pkg/management/upkeep/encryption/migrate.js';
import { readOptions, type Options, type OptionSources, type SubcommandTexts } from '../options/options.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';
import { needingStore, openReading, requireStore } from '../../../pkg/management/upkeep/openstorage.js';
import { recordsText } from '../../../pkg/management/upkeep/counted.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';

export const ENCRYPTION: SubcommandTexts = {
  usage: `encryption status [options]
       management-apiserver encryption rotate [options]
       management-apiserver encryption migrate [options]`,
  description: `status
    Shows the keys of the store, how many records need each key, which records cannot be read, and which keys each server has loaded. Exits with 1 where a record cannot be read.
rotate
    Adds a new key at the top of --encryption-key-file. Once all servers have loaded it, they encrypt with it and re-encrypt what is stored. If interrupted, run it again. The old key may be removed when it has finished.
migrate
    Waits until everything is encrypted with the first key. Re-encrypts it itself where no server is running.

Accepts all options of the server, and uses those that locate its state and its keys: --data-dir, --etcd-*, --encryption-*, --config. Servers may keep running.`,
};

/** The interval between checks whether another command has added its key. */
const STEP_MS = 1_000;

const VERBS = ['status', 'rotate', 'migrate'] as const;
type Verb = (typeof VERBS)[number];

interface Command {
  readonly options: Options;
  readonly verb: Verb;
}

/** Throws StartError for errors that the operator can fix. */
export async function encryptionCommand(sources: Omit<OptionSources, 'subcommand'>): Promise<void> {
  const command = readCommand(sources);
  if (command === undefined) return;
  const config = storageConfigOf(command.options);
  const encryption = encryptionConfigOf(command.options);
  requireStore(config);
  const keyring = await keysNow(config, encryption);
  if (command.verb === 'status') return status(config, encryption, keyring, sources.write);
  if (command.verb === 'rotate') await rotate(config, encryption, keyring, sources.write);
  await migrate(config, encryption, sources.write);
}

/** Undefined after help was written. */
function readCommand(sources: OptionSources): Command | undefined {
  let given: readonly string[] = [];
  const take = (operands: readonly string[]): void => {
    given = operands;
  };
  const options = readOptions({ ...sources, subcommand: { ...ENCRYPTION, take } });
  if (options === undefined) return undefined;
  const verb = VERBS.find((one) => one === given[0]);
  const why =
    verb === undefined
      ? given[0] === undefined
        ? 'a subcommand is required: status, rotate or migrate'
        : `unknown subcommand "${given[0]}": use status, rotate or migrate`
      : given.length > 1
        ? `${verb} takes only options`
        : undefined;
  if (why !== undefined || verb === undefined)
    throw new StartError(`encryption: ${why ?? ''}; see encryption --help`);
  return { options, verb };
}

/** The current keys of a complete store. It calls the KMS, but writes nothing to the store. Throws StartError. */
const keysNow = (config: StorageConfig, encryption: EncryptionConfig): Promise<Keyring> =>
  reading(config, async (engine) => {
    try {
      await refuseUnfinished(engine);
      return await needingKeys(currentKeys(encryption, { get: (key) => engine.get(key) }));
    } catch (error) {
      if (error instanceof StartError || error instanceof StorageError) throw error;
      throw new StartError(inWords(error), { cause: error });
    }
  });

/** Reads the store while a server uses it. */
async function reading<T>(
  config: StorageConfig,
  step: (engine: Pick<Storage, 'get' | 'scan'>) => Promise<T>,
): Promise<T> {
  const engine = await openReading(config);
  try {
    return await needingStore(config, step(engine));
  } finally {
    await engine.close();
  }
}

async function status(
  config: StorageConfig,
  encryption: EncryptionConfig,
  keyring: Keyring,
  write: (text: string) => void,
): Promise<void> {
  const survey = await reading(config, (engine) => surveyOf(engine, keyring));
  write(statusText(survey, keyring, encryption.providerConfig ?? keyFileOf(encryption)));
  for (const refused of encryption.plugins.refused) write(`${refused}\n`);
  const unreadable = survey.undecryptable.length;
  if (unreadable > 0) throw new StartError(`${recordsText(unreadable)} cannot be read`);
}

/** Adds a key, unless a new key is already being introduced. Throws StartError. */
async function rotate(
  config: StorageConfig,
  encryption: EncryptionConfig,
  keyring: Keyring,
  write: (text: string) => void,
): Promise<void> {
  if (encryption.providerConfig !== undefined)
    throw new StartError(
      `--encryption-provider-config ${encryption.providerConfig} has the keys: put a new one there behind the first, then in front of it, or rotate the key at the KMS; encryption migrate waits for the rest`,
    );
  const path = keyFileOf(encryption);
  const missing = await reading(config, async (engine) => {
    const { used } = await (
      await import('../../../pkg/storage/encryption/serversrecord.js')
    ).readServers(engine);
    return used.find((header) => keyring.reader(header) === undefined);
  });
  if (missing !== undefined)
    throw new StartError(
      `the store is encrypted with key ${keyNameOf(missing) ?? missing}, which is not in ${path}: this is not the file of its servers; nothing was changed`,
    );
  const name = (keys: Keyring): string => keys.writers.map(({ keyName }) => keyName).join(', ');
  for (let waits = false; ;) {
    const now = await keysNow(config, encryption);
    if (!(await reading(config, (engine) => isUpToDate(engine, now)))) {
      write(`goes on with key ${name(now)} of ${path}, which is not in use everywhere yet\n`);
      return;
    }
    try {
      addKey(path);
      return write(`added key ${name(await keysNow(config, encryption))} to ${path}\n`);
    } catch (error) {
      if (!(error instanceof KeyIsBeingAdded)) throw error;
      if (!waits)
        write(`another command is adding a key, or was killed: waits up to a minute for ${error.message}\n`);
      waits = true;
      await sleep(STEP_MS);
    }
  }
}
