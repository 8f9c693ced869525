import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Cli, Verb } from '../../cli.js';
import { Failure, usage } from '../../failure.js';
import { helpNotes } from '../../output/helpnotes.js';
import { variablesOf } from '../../output/environment.js';
import { type SecretOptions, entriesOf, secretPlace } from '../../secret.js';
import { findSecret, type SecretName, splitName, WHOLE_OPTION } from '../../secretname.js';

const EXAMPLES = `
Examples:
  platform run --env DB_PASSWORD=database.password -- ./migrate
  platform run --secret database -- ./migrate
  platform run --secret database --secret mail.password --project web -- sh -c 'echo $user'

It ends as the command ends. What is in the environment is in no file; whoever may look at your processes can read it.
`;

interface RunOptions extends SecretOptions {
  readonly secret?: string[];
  readonly env?: string[];
  readonly whole?: boolean;
  readonly allowUnsafeEnv?: boolean;
}

/** As shells do, for what does not run, and for what ended by a signal. */
const NOT_FOUND = 127;
const BY_SIGNAL = 128;
const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** `platform run --secret NAME -- COMMAND`: with the entries of secrets in its environment. */
export const run: Verb = (program, cli) => {
  program
    .command('run <command...>')
    .description('Run a command with the entries of secrets in its environment.')
    .option('--secret <name>', 'A secret, NAME, or one entry, NAME.ENTRY; may be repeated.', collected)
    .option(
      '--env <variable>',
      'VARIABLE=NAME.ENTRY: one entry, under a name of yours; may be repeated.',
      collected,
    )
    .option('-n, --namespace <namespace>', 'Namespace of shared secrets (default: default).')
    .option('--project <project>', 'Secrets of this project.')
    .option(WHOLE_OPTION[0], 'All of the NAME of --secret is the name of a secret, with its dots.')
    .option('--allow-unsafe-env', 'Also variables that change how programs run, such as PATH.')
    .addHelpText('after', helpNotes(EXAMPLES))
    .action(async (command: string[], options: RunOptions) => {
      process.exitCode = await runWith(cli, command, await variables(cli, options));
    });
};

const collected = (name: string, before: string[] = []): string[] => [...before, name];

async function variables(cli: Cli, options: RunOptions): Promise<Map<string, string>> {
  const { secret = [], env = [] } = options;
  const renamed = env.map(renaming);
  for (const text of secret) splitName(text, options);
  if (secret.length + renamed.length === 0) throw usage('name what the command gets, by --secret or --env');
  const client = await cli.connect();
  const place = await secretPlace(client, options);
  const read = async ({ name, entry }: SecretName): Promise<[string, Buffer][]> => {
    const found = entriesOf(await client.get({ ...place, name }));
    const chosen = entry === undefined ? found : found.filter(([of]) => of === entry);
    if (entry !== undefined && chosen.length === 0)
      throw new Failure('notFound', `secret "${name}" has no entry "${entry}"`);
    return chosen;
  };
  const entries: [string, Buffer][] = [];
  for (const text of secret) {
    const name = await findSecret(client, place, text, options, () => [
      `platform run --secret ${text} --whole -- COMMAND`,
      `platform run --env VARIABLE=${text} -- COMMAND`,
    ]);
    entries.push(...(await read(name)));
  }
  const chosen: [string, Buffer][] = [];
  for (const { variable, from } of renamed)
    for (const [, value] of await read(from)) chosen.push([variable, value]);
  return merged(variablesOf(entries, options.allowUnsafeEnv), variablesOf(chosen, true));
}

interface Renaming {
  readonly variable: string;
  readonly from: SecretName;
}

/** Of `VARIABLE=NAME.ENTRY`. */
function renaming(text: string): Renaming {
  const [, variable = '', entry = ''] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/.exec(text) ?? [];
  const from = splitName(entry, {});
  if (variable === '' || from.entry === undefined) throw usage(`--env "${text}" is not VARIABLE=NAME.ENTRY`);
  return { variable, from };
}

function merged(first: Map<string, string>, second: Map<string, string>): Map<string, string> {
  for (const name of second.keys())
    if (first.has(name)) throw new Failure('failed', `two entries would be the variable ${name}`);
  return new Map([...first, ...second]);
}

/** The exit code. The command has the terminal, and gets the signals that this program gets. */
function runWith(cli: Cli, [command, ...args]: string[], added: Map<string, string>): Promise<number> {
  if (command === undefined) throw usage('name the command to run, after --');
  const env = { ...cli.env, ...Object.fromEntries(added) };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && error.code !== 'EACCES') return reject(error);
      cli.terminal.tell(`platform: cannot run ${command}: ${error.message}`);
      resolve(NOT_FOUND);
    });
    child.once('close', (code, signal) => {
      for (const each of FORWARDED) process.off(each, forward);
      resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
