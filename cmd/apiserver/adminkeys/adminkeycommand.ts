/** `management-apiserver admin-key`: lists and revokes administrators' keys directly in the store. */
import {
  listAdminKeys,
  revokeAdminKey,
  type AdminKeyListed,
} from '../../../pkg/management/administrators/adminkeylist.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import { aligned } from '../../../pkg/apimachinery/columns.js';
import type { EncryptionConfig } from '../../../pkg/management/upkeep/encryption/keys.js';
import { encryptionConfigOf, storageConfigOf } from '../options/complete.js';
import {
  readOptions,
  type Options,
  type OptionSources,
  type OwnTexts,
  type SubcommandTexts,
} from '../options/options.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import { needingStore, openStorage, requireStore } from '../../../pkg/management/upkeep/openstorage.js';
import { causeOf } from '../../../pkg/apimachinery/caught.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';

const ALL_FLAG = { name: 'all', value: '', description: 'With revoke: all keys.' } as const;

export const ADMIN_KEY: SubcommandTexts = {
  usage: `admin-key list [options]
       management-apiserver admin-key revoke <name>... [options]
       management-apiserver admin-key revoke --all [options]`,
  description: `Lists or revokes the keys of the kubeconfigs that --write-kubeconfig wrote. Every server refuses a revoked key at once and ends its watches. A server that restarts with --write-kubeconfig creates a new key.

Accepts all options of the server, and uses those that locate its state: --data-dir, --etcd-*, --config. With etcd, servers may keep running. A running server locks the embedded store: use kubectl, or stop the server first.`,
  flags: [ALL_FLAG],
};

interface Command {
  readonly options: Options;
  readonly verb: string;
  readonly names: readonly string[];
  readonly all: boolean;
}

/** Throws StartError for errors that the operator can fix. */
export async function adminKeyCommand(sources: Omit<OptionSources, 'subcommand'>): Promise<void> {
  const command = readCommand(sources);
  if (command === undefined) return;
  const config = storageConfigOf(command.options);
  const storage = await openOwn(config, encryptionConfigOf(command.options));
  try {
    const done = command.verb === 'list' ? list(storage) : revoke(storage, command);
    sources.write(await needingStore(config, done));
  } finally {
    await storage.close();
  }
}

/** Undefined after help was written. */
function readCommand(sources: OptionSources): Command | undefined {
  let given: Omit<Command, 'options'> = { verb: '', names: [], all: false };
  const take = ([verb = '', ...names]: readonly string[], own: OwnTexts): void => {
    given = { verb, names, all: own(ALL_FLAG.name) !== undefined };
  };
  const options = readOptions({ ...sources, subcommand: { ...ADMIN_KEY, take } });
  if (options === undefined) return undefined;
  const why = misuseOf(given);
  if (why !== undefined) throw new StartError(`admin-key: ${why}; see admin-key --help`);
  return { ...given, options };
}

function misuseOf({ verb, names, all }: Omit<Command, 'options'>): string | undefined {
  if (verb === 'list') return names.length > 0 || all ? 'list takes no names' : undefined;
  if (verb !== 'revoke')
    return verb === ''
      ? 'a subcommand is required: list or revoke'
      : `unknown subcommand "${verb}": use list or revoke`;
  if (all) return names.length > 0 ? 'names and --all are mutually exclusive' : undefined;
  return names.length > 0 ? undefined : 'revoke requires names, as list shows them, or --all';
}

async function openOwn(config: StorageConfig, encryption: EncryptionConfig): Promise<Storage> {
  requireStore(config);
  try {
    return (await openStorage(config, encryption)).storage;
  } catch (error) {
    const cause = causeOf(error);
    if (!(cause instanceof Error) || cause.name !== 'DirectoryInUseError') throw error;
    throw new StartError(
      `${cause.message}. Ask the server that has it: "kubectl get ownedaccesskeys" lists the keys, "kubectl delete ownedaccesskey NAME" revokes one; or stop the server first`,
      { cause: error },
    );
  }
}

async function list(storage: Storage): Promise<string> {
  const keys = await listAdminKeys(storage);
  if (keys.length === 0) return "There are no administrators' keys.\n";
  const lines = aligned([['NAME', 'CREATED', 'LAST USE', 'STATE'], ...keys.map(rowOf)]);
  return lines.map((line) => `${line}\n`).join('');
}

function rowOf({ name, created, lastUsed, state }: AdminKeyListed): string[] {
  return [name, timeOf(created, '<unknown>'), timeOf(lastUsed, '<none>'), state];
}

const timeOf = (at: number | undefined, none: string): string =>
  at === undefined ? none : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

async function revoke(storage: Storage, { names, all }: Command): Promise<string> {
  const keys = await listAdminKeys(storage);
  const unknown = names.find((name) => !keys.some((key) => key.name === name));
  if (unknown !== undefined)
    throw new StartError(
      `there is no administrator's key "${unknown}": admin-key list shows those that there are`,
    );
  const chosen = all ? keys : keys.filter(({ name }) => names.includes(name));
  if (chosen.length === 0) return "There are no administrators' keys.\n";
  for (const { key } of chosen) await revokeAdminKey(storage, key);
  return chosen.map(({ name }) => `revoked ${name}\n`).join('');
}
