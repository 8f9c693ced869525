/** The command lines of `management-apiserver backup`, `restore` and `store`. */
import { boolean, durationBetween, wholeNumber } from '../../../pkg/apimachinery/flagvalues.js';
import { encryptionConfigOf, storageConfigOf } from '../options/complete.js';
import { encrypterOf, readerOf, type BackupRecipients } from '../../../pkg/management/upkeep/backup/age.js';
import { copyStore } from '../../../pkg/management/upkeep/backup/copy.js';
import {
  IDENTITY_FLAG,
  PASSPHRASE_FLAG,
  RECIPIENT_FLAG,
} from '../../../pkg/management/upkeep/backup/ageflags.js';
import { createBackup } from '../../../pkg/management/upkeep/backup/create.js';
import { logChanges } from '../../../pkg/management/upkeep/backup/log.js';
import {
  readOptions,
  type Options,
  type OptionSources,
  type OwnTexts,
  type SubcommandTexts,
} from '../options/options.js';
import { restoreBackup } from '../../../pkg/management/upkeep/backup/restore.js';
import { verifyCommand } from './verifycommand.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import {
  BUMP_FLAG,
  COPY_FLAGS,
  FOLLOW_FLAG,
  parsed,
  POINT_FLAG,
  RETAIN_FLAG,
  SEGMENT_FLAG,
  UNSEALED_FLAG,
  TO_PREFIX_FLAG,
} from './flags.js';
import { join, resolve } from 'node:path';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';
import { endpoints, keyPrefix } from '../options/flags/values.js';

type Sources = Omit<OptionSources, 'subcommand'>;

interface Given {
  readonly options: Options;
  readonly operands: readonly string[];
  readonly text: OwnTexts;
}

const OPTIONS =
  'Accepts all options of the server, and uses those that locate its state and its keys: --data-dir, --etcd-*, --encryption-*, --config.';

export const BACKUP: SubcommandTexts & Required<Pick<SubcommandTexts, 'flags'>> = {
  usage: `backup create FILE|DIRECTORY|- [options]
       management-apiserver backup log DIRECTORY [--follow] [options]
       management-apiserver backup verify FILE [SEGMENT...]|DIRECTORY|- [options]`,
  description: `create
    Writes a snapshot of the store at one revision, while servers run. Secrets stay encrypted; the keys are not included. The file appears when it is complete. In a directory its name is the time. "-" is standard output.
log
    Writes what was changed since the newest backup of a directory, or since the last segment of its log, into a segment beside it, while servers run. A restore then goes back to any time of the log.
verify
    Reads a backup and the segments of its log, and checks that they are complete and unchanged, that no segment is missing, and that the keys decrypt them.

${OPTIONS}`,
  flags: [RETAIN_FLAG, FOLLOW_FLAG, SEGMENT_FLAG, RECIPIENT_FLAG, PASSPHRASE_FLAG, IDENTITY_FLAG],
};

/** Throws StartError for errors that the operator can fix. */
export async function backupCommand(sources: Sources): Promise<void> {
  const given = read(sources, BACKUP);
  if (given === undefined) return;
  const [verb, path, ...more] = given.operands;
  if (verb !== 'create' && verb !== 'verify' && verb !== 'log')
    throw misuse(
      'backup',
      verb === undefined
        ? 'a subcommand is required: create, log or verify'
        : `unknown subcommand "${verb}": use create, log or verify`,
    );
  if (path === undefined || path === '' || (more.length > 0 && verb !== 'verify'))
    throw misuse('backup', `${verb} requires exactly one ${verb === 'log' ? 'directory' : 'file'}`);
  const own: Readonly<Record<string, readonly { readonly name: string }[]>> = {
    create: [RETAIN_FLAG, RECIPIENT_FLAG, PASSPHRASE_FLAG],
    log: [FOLLOW_FLAG, SEGMENT_FLAG, RECIPIENT_FLAG, PASSPHRASE_FLAG, IDENTITY_FLAG],
    verify: [PASSPHRASE_FLAG, IDENTITY_FLAG],
  };
  for (const flag of BACKUP.flags)
    if (given.text(flag.name) !== undefined && own[verb]?.includes(flag) !== true)
      throw misuse('backup', `${verb} takes no --${flag.name}`);
  await { create: createCommand, log: logCommand, verify: verifyFiles }[verb](
    [path, ...more],
    given,
    sources.write,
  );
}

type Tell = (text: string) => void;

const readersIn = (text: OwnTexts): BackupRecipients => ({
  recipients: text(RECIPIENT_FLAG.name),
  passphraseFile: text(PASSPHRASE_FLAG.name),
});

async function createCommand([path = '']: readonly string[], given: Given, write: Tell): Promise<void> {
  const { options, text } = given;
  const encryption = encryptionConfigOf(options);
  const encrypter = await encrypterOf(readersIn(text));
  const tell = path === '-' ? (said: string) => void process.stderr.write(said) : write;
  const retain =
    text(RETAIN_FLAG.name) === undefined ? undefined : parsed(text, RETAIN_FLAG, wholeNumber(1, 10_000));
  await createBackup({ path, retain, encrypter, config: storageConfigOf(options), encryption, tell });
}

async function logCommand([path = '']: readonly string[], given: Given, tell: Tell): Promise<void> {
  const { options, text } = given;
  const follow = parsed(text, FOLLOW_FLAG, boolean);
  if (!follow && text(SEGMENT_FLAG.name) !== undefined)
    throw misuse('backup', '--segment-interval requires --follow');
  const stopping = new AbortController();
  // The signal may arrive more than once: `timeout`, for example, sends it to the process and to its process group.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
  // The server that started this process has exited. The next server starts another backup.
  process.once('disconnect', () => stopping.abort());
  process.channel?.unref();
  await logChanges({
    directory: path.replace(/(?<=.)\/+$/, ''),
    intervalMs: follow ? parsed(text, SEGMENT_FLAG, durationBetween('1s', '5m')) : undefined,
    signal: stopping.signal,
    encrypter: () => encrypterOf(readersIn(text)),
    read: await readerOf(text),
    config: storageConfigOf(options),
    encryption: encryptionConfigOf(options),
    tell,
  });
}

async function verifyFiles(operands: readonly string[], given: Given, tell: Tell): Promise<void> {
  const read = await readerOf(given.text);
  const encryption = encryptionConfigOf(given.options);
  return verifyCommand(operands, { encryption, tell, read });
}

export const RESTORE: SubcommandTexts = {
  usage: 'restore FILE [SEGMENT...]|DIRECTORY [options]',
  description: `Restores a backup, and the segments of its log, into an empty store, embedded or etcd: of a directory the newest backup that is not after --point-in-time, with its log. All of it is verified first. Revisions continue above all that clients have seen, so that clients list and watch again. Names, UIDs and everything else are unchanged. Stop all servers first. If a restore is interrupted, servers refuse the store until the restore is run again.

${OPTIONS}`,
  flags: [POINT_FLAG, BUMP_FLAG, UNSEALED_FLAG, PASSPHRASE_FLAG, IDENTITY_FLAG],
};

/** Throws StartError for errors that the operator can fix. */
export async function restoreCommand(sources: Sources): Promise<void> {
  const given = read(sources, RESTORE);
  if (given === undefined) return;
  const { options, operands, text } = given;
  if (operands.length === 0 || operands.includes('')) throw misuse('restore', 'requires a file');
  await restoreBackup(operands, {
    until: text(POINT_FLAG.name) === undefined ? undefined : parsed(text, POINT_FLAG, pointInTime),
    config: storageConfigOf(options),
    encryption: encryptionConfigOf(options),
    bump: bumpOf(text),
    read: await readerOf(text),
    allowUnsealed: parsed(text, UNSEALED_FLAG, boolean),
    tell: sources.write,
  });
}

const STORE_FLAGS = [...COPY_FLAGS, BUMP_FLAG];

export const STORE: SubcommandTexts = {
  usage: `store copy --to-data-dir DIRECTORY|--to-etcd-servers URLS [options]
       management-apiserver store free-space --etcd-servers URLS [options]`,
  description: `copy
    Copies the whole store into an empty one, from the embedded store to etcd or back. Secrets stay encrypted with the same keys. Stop the servers first: later writes are not copied.
free-space
    Frees the space of an etcd whose quota is used up, while servers run: removes the history of the whole etcd, defragments its members one after the other, and disarms the alarm NOSPACE if every member has room. No record is changed. Name all members.

${OPTIONS}`,
  flags: STORE_FLAGS,
};

/** Throws StartError for errors that the operator can fix. */
export async function storeCommand(sources: Sources): Promise<void> {
  const given = read(sources, STORE);
  if (given === undefined) return;
  const { options, operands, text } = given;
  const [verb, ...more] = operands;
  if ((verb !== 'copy' && verb !== 'free-space') || more.length > 0)
    throw misuse('store', 'a subcommand is required, copy or free-space; it takes only options');
  if (verb === 'free-space') {
    const own = STORE_FLAGS.find(({ name }) => text(name) !== undefined);
    if (own !== undefined) throw misuse('store', `free-space takes no --${own.name}`);
    // It takes the client of etcd, which other commands load for stores there alone.
    const { freeStoreSpace } = await import('./freespace.js');
    return freeStoreSpace(storageConfigOf(options), sources.write);
  }
  await copyStore({
    from: storageConfigOf(options),
    to: targetOf(text),
    encryption: encryptionConfigOf(options),
    bump: bumpOf(text),
    tell: sources.write,
  });
}

/** Undefined after help was written. Throws StartError. */
function read(sources: Sources, command: SubcommandTexts): Given | undefined {
  let given: Omit<Given, 'options'> = { operands: [], text: () => undefined };
  const take = (operands: readonly string[], text: OwnTexts): void => {
    given = { operands, text };
  };
  const options = readOptions({ ...sources, subcommand: { ...command, take } });
  return options === undefined ? undefined : { ...given, options };
}

const misuse = (command: string, why: string): StartError =>
  new StartError(`${command}: ${why}; see ${command} --help`);

const bumpOf = (text: OwnTexts): number => parsed(text, BUMP_FLAG, wholeNumber(0, 1e15));

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](?!24)\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Whether the day exists: Date.parse accepts February 30 as a day of March. */
const isDay = (day: string): boolean => {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

/** In ms since 1970. Throws Error for an invalid time. */
function pointInTime(given: string): number {
  const [, day = ''] = RFC3339.exec(given) ?? [];
  const time = isDay(day) ? Date.parse(given.toUpperCase()) : NaN;
  if (Number.isNaN(time))
    throw new Error('it must be a time in RFC 3339 with its zone, such as 2026-01-02T03:04:05Z');
  return time;
}

/** The target of `store copy`, from the `--to-…` flags. Throws StartError. */
function targetOf(text: OwnTexts): StorageConfig {
  const [directory, servers] = [text('to-data-dir'), text('to-etcd-servers')];
  if ((directory === undefined) === (servers === undefined))
    throw new StartError('store copy: give either --to-data-dir or --to-etcd-servers');
  if (directory !== undefined) return { engine: 'embedded', directory: join(resolve(directory), 'store') };
  const [certFile, keyFile] = [text('to-etcd-certfile'), text('to-etcd-keyfile')];
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new StartError('--to-etcd-certfile and --to-etcd-keyfile must be given together');
  return {
    engine: 'etcd',
    endpoints: parsed(text, { name: 'to-etcd-servers' }, endpoints),
    prefix: parsed(text, TO_PREFIX_FLAG, keyPrefix),
    caFile: text('to-etcd-cafile'),
    certFile,
    keyFile,
  };
}
