import type { KubeObject } from '../../../api/resource.js';
import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import type { Cli, Verb } from '../cli.js';
import { environmentOf } from '../output/environment.js';
import { Failure, usage } from '../failure.js';
import { helpNotes } from '../output/helpnotes.js';
import { formatUnlessTemplate, printColumns } from '../output/output.js';
import { getObject, writeObject } from './nouns/getobject.js';
import { orSimilar } from './nouns/unknownnames.js';
import { getProjectParts } from './projectparts/show.js';
import { entriesOf, secretPlace } from '../secret.js';
import {
  commandsOf,
  ENTRY_OPTION,
  findSecret,
  type NameOptions,
  splitName,
  WHOLE_OPTION,
} from '../secretname.js';

const EXAMPLES = `
Examples:
  platform get secret database                          all entries
  platform get secret database.password                 one value, as it is
  platform get secret database -o env > database.env
  platform get secret database.password --project web   of a project secret
  platform get secret my.app --entry password           of a secret whose name has dots
  platform get secret database.password -o jsonpath='{.spec.data.password}' | base64 -d

-o json and yaml print the whole object, values in base64. For NAME.ENTRY its spec.data has that entry alone.

Where a secret has all of NAME.ENTRY as its name, it is that secret; where the entry is there too, the command asks which of them you mean: --whole is the secret, and --entry an entry.
`;

interface GetOptions extends NameOptions {
  readonly output?: string;
  readonly allowUnsafeEnv?: boolean;
  readonly export?: boolean;
}

/** `platform get secret NAME[.ENTRY]`. */
export const get: Verb = (program, cli) => {
  const command = program.command('get').description('Show a secret or another object.');
  getObject(command, cli);
  getProjectParts(command, cli);
  command
    .command('ca')
    .description(
      'Print the certificate authority of the server, PEM, for PLATFORM_CA_FILE and other clients.',
    )
    .addHelpText('after', '\nExample:\n  platform get ca > ca.crt\n')
    .action(async () => {
      const { ca } = (await cli.connect()).connection;
      if (ca === undefined)
        throw new Failure(
          'notFound',
          'this login has no authority of its own: those of the machine are trusted',
        );
      cli.write(ca.endsWith('\n') ? ca : `${ca}\n`);
    });
  command
    .command('secret <name>')
    .alias('secrets')
    .description('Show a secret (NAME) or one of its entries (NAME.ENTRY).')
    .option('-n, --namespace <namespace>', 'Namespace of a shared secret (default: default).')
    .option('--project <project>', 'Read a secret of this project.')
    .option(...ENTRY_OPTION)
    .option(...WHOLE_OPTION)
    .option('-o, --output <format>', 'json, yaml, name, jsonpath=TEMPLATE, raw or env.')
    .option('--export', 'With -o env, begin each line with export.')
    .option(
      '--allow-unsafe-env',
      'With -o env, print variables too that change how a shell runs, such as PATH.',
    )
    .addHelpText('after', helpNotes(EXAMPLES))
    .action((name: string, options: GetOptions) => getSecret(cli, name, options));
};

async function getSecret(cli: Cli, text: string, options: GetOptions): Promise<void> {
  splitName(text, options);
  const { output } = options;
  const format = formatUnlessTemplate(output, ['json', 'yaml', 'name', 'raw', 'env']);
  const client = await cli.connect();
  const collection = await secretPlace(client, options);
  const commands = commandsOf('get', text, options);
  const { name, entry } = await findSecret(client, collection, text, options, commands);
  const place = { ...collection, name };
  const secret = await orSimilar(client, place, client.get(place), options.project);
  const entries = chosenEntries(secret, name, entry);
  if (format === 'env')
    return cli.writeExactly(
      environmentOf(entries, options.allowUnsafeEnv, options.export === true ? 'export ' : ''),
    );
  if (format === 'raw') return cli.writeExactly(onlyValue(entries, name));
  if (output !== undefined)
    return writeObject(cli, output, entry === undefined ? secret : withEntry(secret, entry), name);
  if (entry !== undefined) return showValue(cli, onlyValue(entries, name));
  const rows = entries.map(([of, value]) => [of, shown(value)]);
  await printColumns(['Entry', 'Value'], rows, cli.write);
}

/** The secret with this entry alone, so that `-o json` has one shape for both. */
function withEntry(secret: KubeObject, entry: string): KubeObject {
  const { data, ...spec } = membersOf(secret.spec);
  return { ...secret, spec: { ...spec, data: { [entry]: membersOf(data)[entry] } } };
}

function chosenEntries(secret: KubeObject, name: string, entry: string | undefined): [string, Buffer][] {
  const entries = entriesOf(secret);
  if (entry === undefined) return entries;
  const found = entries.filter(([of]) => of === entry);
  if (found.length === 0)
    throw new Failure(
      'notFound',
      `secret "${name}" has no entry "${entry}"; it has: ${entries.map(([of]) => of).join(', ') || 'none'}`,
    );
  return found;
}

function onlyValue(entries: readonly [string, Buffer][], name: string): Buffer {
  const [first, second] = entries;
  if (first === undefined || second !== undefined)
    throw usage(`secret "${name}" has ${entries.length} entries; name one of them: ${name}.ENTRY`);
  return first[1];
}

/** In a pipe and a file the bytes as they are; on a terminal only text, without commands for it, with its line ended. */
function showValue({ terminal, writeExactly, write }: Cli, value: Buffer): void {
  if (terminal.shown && !isText(value))
    throw new Failure('failed', 'the value is binary: send it to a file or a pipe');
  writeExactly(value);
  if (terminal.shown && value.at(-1) !== 0x0a) write('\n');
}

function shown(value: Buffer): string {
  return isText(value) ? value.toString() : `(binary, ${value.length} bytes)`;
}

const isText = (value: Buffer): boolean => Buffer.from(value.toString()).equals(value);
