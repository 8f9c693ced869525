/** The command lines of `management-apiserver backup`, `restore` and `store`. */
import { boolean, wholeNumber } from '../../../pkg/apimachinery/flagvalues.js';
import { encryptionConfigOf, storageConfigOf } from '../options/complete.js';
import type { Options, OptionSources, OwnTexts } from '../options/options.js';
import { encrypterOf, readerOf } from './age.js';
import { readOptions } from '../options/options.js';
import { StartError } from '../starterror.js';
import {
  BUMP_FLAG,
  COPY_FLAGS,
  IDENTITY_FLAG,
  parsed,
  PASSPHRASE_FLAG,
  RECIPIENT_FLAG,
  RETAIN_FLAG,
  UNSEALED_FLAG,
} from './flags.js';

type Sources = Omit<OptionSources, 'subcommand'>;

interface Given {
  readonly options: Options;
  readonly operands: readonly string[];
  readonly text: OwnTexts;
}

const OPTIONS = `Accepts all options of the server, and uses those that locate its state and its keys: --data-dir, --etcd-*,
--encryption-*, --config.`;

const BACKUP = {
  usage: `backup create FILE|DIRECTORY|- [options]
       management-apiserver backup verify FILE|- [options]`,
  description: `create   writes a snapshot of the store at one revision, while servers run. Secrets stay encrypted; the keys are not included.
         The file appears when it is complete. In a directory its name is the time. "-" is standard output
verify   reads a backup, and checks that it is complete and unchanged and that the keys decrypt it

${OPTIONS}`,
  flags: [RETAIN_FLAG, RECIPIENT_FLAG, PASSPHRASE_FLAG, IDENTITY_FLAG],
};

/** Throws StartError for what the operator can mend. */
export async function backupCommand(sources: Sources): Promise<void> {
  const given = read(sources, BACKUP);
  if (given === undefined) return;
  const { options, text } = given;
  const [verb, path, ...more] = given.operands;
  if (verb !== 'create' && verb !== 'verify')
    throw misuse(
      'backup',
      verb === undefined
        ? 'a subcommand is required: create or verify'
        : `unknown subcommand "${verb}": use create or verify`,
    );
  if (path === undefined || path === '' || more.length > 0)
    throw misuse('backup', `${verb} requires exactly one file`);
  const encryption = encryptionConfigOf(options);
  if (verb === 'verify') {
    const { verifyCommand } = await import('./verify.js');
    if (text(RECIPIENT_FLAG.name) !== undefined) throw misuse('backup', 'verify takes no --recipient');
    return verifyCommand(path, encryption, sources.write, await readerOf(text));
  }
  if (text(IDENTITY_FLAG.name) !== undefined) throw misuse('backup', 'create takes no --identity-file');
  const encrypter = await encrypterOf({
    recipients: text(RECIPIENT_FLAG.name),
    passphraseFile: text(PASSPHRASE_FLAG.name),
  });
  const { createBackup } = await import('./create.js');
  const tell = path === '-' ? (text: string) => void process.stderr.write(text) : sources.write;
  const retain =
    text(RETAIN_FLAG.name) === undefined ? undefined : parsed(text, RETAIN_FLAG, wholeNumber(1, 10_000));
  await createBackup({ path, retain, encrypter, config: storageConfigOf(options), encryption, tell });
}

const RESTORE = {
  usage: 'restore FILE [options]',
  description: `Restores a backup into an empty store, embedded or etcd. The backup is verified first. Revisions continue above all that
clients have seen, so that clients list and watch again. Names, UIDs and everything else are unchanged. Stop all servers
first. If a restore is interrupted, servers refuse the store until the restore is run again.

${OPTIONS}`,
  flags: [BUMP_FLAG, UNSEALED_FLAG, PASSPHRASE_FLAG, IDENTITY_FLAG],
};

/** Throws StartError for what the operator can mend. */
export async function restoreCommand(sources: Sources): Promise<void> {
  const given = read(sources, RESTORE);
  if (given === undefined) return;
  const [path, ...more] = given.operands;
  if (path === undefined || path === '' || more.length > 0)
    throw misuse('restore', 'requires exactly one file');
  const { options, text } = given;
  const { restoreBackup } = await import('./restore.js');
  await restoreBackup(path, {
    config: storageConfigOf(options),
    encryption: encryptionConfigOf(options),
    bump: bumpOf(text),
    read: await readerOf(text),
    allowUnsealed: parsed(text, UNSEALED_FLAG, boolean),
    tell: sources.write,
  });
}

const STORE = {
  usage: 'store copy --to-data-dir DIRECTORY|--to-etcd-servers URLS [options]',
  description: `Copies the whole store into an empty one, from the embedded store to etcd or back. Secrets stay encrypted with the same
keys. Stop the servers first: later writes are not copied.

${OPTIONS}`,
  flags: [...COPY_FLAGS, BUMP_FLAG],
};

/** Throws StartError for what the operator can mend. */
export async function storeCommand(sources: Sources): Promise<void> {
  const given = read(sources, STORE);
  if (given === undefined) return;
  const { options, operands, text } = given;
  if (operands.length !== 1 || operands[0] !== 'copy')
    throw misuse('store', 'the only subcommand is copy; it takes only options');
  const { copyStore, targetOf } = await import('./copy.js');
  await copyStore({
    ...{ from: storageConfigOf(options), to: targetOf(text), encryption: encryptionConfigOf(options) },
    ...{ bump: bumpOf(text), tell: sources.write },
  });
}

/** Undefined when help was asked for and written. Throws StartError. */
function read(
  sources: Sources,
  command: Pick<Required<OptionSources>['subcommand'], 'usage' | 'description' | 'flags'>,
): Given | undefined {
  let given: Omit<Given, 'options'> = { operands: [], text: () => undefined };
  const take = (operands: readonly string[], all: boolean, text: OwnTexts): void => {
    if (all) throw new StartError("unknown option '--all'; see --help");
    given = { operands, text };
  };
  const options = readOptions({ ...sources, subcommand: { ...command, take } });
  return options === undefined ? undefined : { ...given, options };
}

const misuse = (command: string, why: string): StartError =>
  new StartError(`${command}: ${why}; see ${command} --help`);

const bumpOf = (text: OwnTexts): number => parsed(text, BUMP_FLAG, wholeNumber(0, 1e15));
