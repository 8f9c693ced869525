import type { Cli, Verb } from '../cli.js';
import type { Client, Place } from '../connection/client.js';
import { Failure, usage } from '../failure.js';
import { helpNotes } from '../output/helpnotes.js';
import type { YesOption } from '../output/warnings.js';
import { secretPlace } from '../secret.js';
import {
  commandsOf,
  ENTRY_OPTION,
  findSecret,
  type NameOptions,
  splitName,
  twoReadings,
  WHOLE_OPTION,
} from '../secretname.js';
import { mustExist } from './nouns/unknownnames.js';
import { setQuotas } from './projectparts/quotas.js';
import { replaceEntries, setEntries } from './secrets/setentries.js';
import { askToOverwrite, mustHaveValues } from './secrets/slips.js';
import { type ValueOptions, addEntryFlags, entriesFrom, valueOf } from './secrets/values.js';

const EXAMPLES = `
Examples:
  platform set secret database.password                 asks for it, without showing it
  platform set secret database.user app
  platform set secret database.password --file password.txt
  openssl rand -base64 24 | platform set secret database.password
  platform set secret database --from-literal user=app --from-file ca=ca.crt --from-env-file .env
  platform set secret database --from-env-file .env --prune      removes what is not in the file
`;

const QUOTA_EXAMPLES = `
Examples:
  platform set quota instances=3 secrets=20 --project web
  platform set quota spaces=2 vclusters=1 sharedsecrets=5 --project web
  platform set quota secretBytes=1000000 configmaps=10 --project web

instances are spaces and virtual clusters together, and secrets those of the project; secrets. with a dot are the Secrets of Kubernetes. Any resource that the server stores in namespaces can be counted: configmaps, roles.rbac.authorization.k8s.io.

Without a number, as in instances=, a limit goes away. "platform list quotas --project web" shows each with its use.
`;

interface SetOptions extends NameOptions, ValueOptions, YesOption {
  readonly allowEmpty?: boolean;
  readonly prune?: boolean;
}

/** `platform set secret NAME.ENTRY [VALUE]`: never prints the value. */
export const set: Verb = (program, cli) => {
  const command = program.command('set').description('Set entries of a secret, or quotas of a project.');
  addEntryFlags(command.command('secret <name> [value]'))
    .description(
      'Write one entry of a secret, NAME.ENTRY, or several of NAME; the secret is created where there is none.',
    )
    .option('--file <file>', 'Read the value from this file, byte by byte.')
    .option('--keep-newline', 'Keep the newline at the end of standard input.')
    .option('--allow-empty', 'Accept an empty value.')
    .option('--prune', 'Remove the entries that are not given.')
    .option(
      '-y, --yes',
      'Do not ask before entries are removed, or values of a secret of somebody else replaced.',
    )
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'Write a secret of this project.')
    .option(...ENTRY_OPTION)
    .option(...WHOLE_OPTION)
    .addHelpText('after', EXAMPLES)
    .action((text: string, value: string | undefined, options: SetOptions) =>
      setSecret(cli, text, value, options),
    );
  command
    .command('quota <limits...>')
    .alias('quotas')
    .description('Limit what a project may have: instances=3, secrets=20, secretBytes=1000000.')
    .requiredOption('--project <project>', 'The project.')
    .addHelpText('after', helpNotes(QUOTA_EXAMPLES))
    .action((limits: string[], { project }: { project: string }) => setQuotas(cli, limits, project));
};

async function setSecret(
  cli: Cli,
  text: string,
  value: string | undefined,
  options: SetOptions,
): Promise<void> {
  const several = await entriesFrom(cli.terminal, options);
  const split = splitName(text, options);
  if (
    several !== undefined &&
    (value !== undefined || options.file !== undefined || options.entry !== undefined)
  )
    throw usage('give one value, or several entries, not both');
  if (several === undefined && split.entry === undefined)
    throw usage(`name the entry to write: ${text.includes('.') ? `${text} --entry ENTRY` : `${text}.ENTRY`}`);
  if (several === undefined && options.prune === true)
    throw usage('--prune goes with several entries, such as of --from-env-file');
  const entries = several ?? { [split.entry ?? '']: await valueOf(cli, value, options) };
  const keys = Object.keys(entries);
  // A line `NAME=` of an env file is meant so.
  const fromEnvFile = options.fromEnvFile ?? options.envFile;
  if (options.allowEmpty !== true && fromEnvFile === undefined) mustHaveValues(entries);
  const client = await cli.connect();
  const collection = await secretPlace(client, options);
  const name = await nameFor(client, collection, text, options, several !== undefined);
  const place = { ...collection, name };
  if (options.yes !== true) await askToOverwrite(cli, client, place, entries);
  const what = keys.length === 1 ? `entry "${keys[0] ?? ''}" is` : `${keys.length} entries are`;
  const failed = inProject(client, options.project);
  if (options.prune === true) {
    const removed = await replaceEntries(cli, client, place, entries, options).catch(failed);
    return cli.terminal.tell(`Secret "${name}": ${what} set, ${removed} removed.`);
  }
  const others = await setEntries(client, place, entries).catch(failed);
  const [stay, them] = others === 1 ? ['stays', 'it'] : ['stay', 'them'];
  const rest =
    fromEnvFile === undefined || others === 0 ? '' : ` ${others} more ${stay}; --prune would remove ${them}.`;
  cli.terminal.tell(`Secret "${name}": ${what} set.${rest}`);
}

/** The secret to write to. Rejects with a Failure, usage, where the text may be another one, or has an entry too many. */
async function nameFor(
  client: Client,
  collection: Place,
  text: string,
  options: SetOptions,
  isSeveral: boolean,
): Promise<string> {
  const commands = commandsOf('set', text, options, isSeveral ? '--whole' : '--entry ENTRY');
  const { name, entry } = await findSecret(client, collection, text, options, commands);
  const { name: of, entry: given } = splitName(text, options);
  if (!isSeveral && entry === undefined && given !== undefined)
    throw twoReadings(text, { name: of, entry: given }, commands);
  if (isSeveral && entry !== undefined)
    throw usage(`"${text}" names an entry: write "set secret ${name} --from-literal ${entry}=VALUE"`);
  return name;
}

/** The secret is made where there is none, so that what is not found is its project: rejects with that, or with the error. */
const inProject =
  (client: Client, project: string | undefined) =>
  async (error: unknown): Promise<never> => {
    if (error instanceof Failure && error.reason === 'notFound') await mustExist(client, project);
    throw error;
  };
