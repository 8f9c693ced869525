import type { Command } from 'commander';
import type { KubeObject } from '../../../../api/resource.js';
import type { Cli } from '../../cli.js';
import { usage } from '../../failure.js';
import { helpNotes } from '../../output/helpnotes.js';
import { chosenFormat, nameOf, printObject } from '../../output/output.js';
import { type SecretOptions, newSecret, secretPlace } from '../../secret.js';
import { mustHaveValues } from './slips.js';
import { type ValueOptions, addEntryFlags, dataOf, entriesFrom, pairOf } from './values.js';

const EXAMPLES = `
Examples:
  platform create secret database user=app password=s3cret
  platform create secret database --from-file ca=ca.crt --from-env-file .env
  platform create secret database && platform set secret database.password     asks for it, without showing it

It fails if the secret exists; "platform set secret" also changes one. Others may see arguments in your shell's history, and in the process list while the command runs.
`;

interface CreateSecretOptions extends SecretOptions, ValueOptions {
  readonly displayName?: string;
  readonly description?: string;
  readonly output?: string;
  readonly allowEmpty?: boolean;
}

/** `platform create secret NAME [ENTRY=VALUE...]`: fails where there is one. */
export function createSecret(command: Command, cli: Cli): void {
  addEntryFlags(command.command('secret <name> [entries...]'))
    .description('Create a secret, with entries ENTRY=VALUE.')
    .option('--allow-empty', 'Accept an empty value.')
    .option('--display-name <text>', 'Name shown in the UI.')
    .option('--description <text>', 'What it is for.')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'Create a secret of this project.')
    .option('-o, --output <format>', 'json, yaml or name.')
    .addHelpText('after', helpNotes(EXAMPLES))
    .action((name: string, pairs: string[], options: CreateSecretOptions) =>
      createWith(cli, name, pairs, options),
    );
}

async function createWith(
  cli: Cli,
  name: string,
  pairs: readonly string[],
  options: CreateSecretOptions,
): Promise<void> {
  const format = chosenFormat(options.output, ['json', 'yaml', 'name']);
  const { displayName, description } = options;
  const [, of, key] = /^([^.]*)\.(.*)$/.exec(name) ?? [];
  if (of !== undefined) throw usage(`"${name}" names an entry: write "create secret ${of} ${key}=VALUE"`);
  const several = await entriesFrom(cli.terminal, options);
  const entries = { ...several, ...entriesOfPairs(pairs) };
  // A line `NAME=` of an env file is meant so.
  const isFile = (options.fromEnvFile ?? options.envFile) !== undefined;
  if (options.allowEmpty !== true) mustHaveValues(isFile ? entriesOfPairs(pairs) : entries);
  const data = dataOf(entries);
  const client = await cli.connect();
  const place = await secretPlace(client, options);
  const created = await client.create<KubeObject>(
    place,
    newSecret(place, name, {
      ...(displayName !== undefined && { displayName }),
      ...(description !== undefined && { description }),
      data,
    }),
  );
  if (format === 'name') return cli.write(`${nameOf(created)}\n`);
  if (format !== undefined) return printObject(format, created, cli.write);
  const count = Object.keys(data).length;
  cli.terminal.tell(`Created secret "${name}" with ${count} ${count === 1 ? 'entry' : 'entries'}.`);
}

/** Throws Failure, usage, which repeats no value. */
function entriesOfPairs(pairs: readonly string[]): Record<string, Buffer> {
  return Object.fromEntries(
    pairs.map((text) => {
      const [key, value] = pairOf(text, 'an entry');
      return [key, Buffer.from(value)];
    }),
  );
}
