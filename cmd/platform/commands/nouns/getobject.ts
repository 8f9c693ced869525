import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { type PlaceOptions, placeOf } from '../../kinds.js';
import { NOUNS, type Noun } from '../../nouns.js';
import { fillTemplate, templateOf } from '../../output/jsonpath.js';
import { formatUnlessTemplate, printObject, printTable } from '../../output/output.js';
import { orSimilar } from './unknownnames.js';

interface GetOptions extends PlaceOptions {
  readonly output?: string;
}

/** `platform get user|team|project|… NAME`. Secrets have a command of their own. */
export function getObject(command: Command, cli: Cli): void {
  for (const noun of NOUNS.filter(({ word }) => word !== 'secret')) {
    const one = command
      .command(`${noun.word} <name>`)
      .alias(`${noun.word}s`)
      .description(`Show ${noun.one}.`)
      .option('-o, --output <format>', 'wide, json, yaml, name or jsonpath=TEMPLATE.');
    if (noun.within === 'project') one.requiredOption('--project <project>', 'Project that it is in.');
    one
      .addHelpText(
        'after',
        `\nExample:\n  platform get ${noun.word} NAME${noun.within === 'project' ? ' --project web' : ''} -o yaml\n`,
      )
      .action((name: string, options: GetOptions) => showObject(cli, noun, name, options));
  }
}

async function showObject(
  cli: Cli,
  noun: Noun,
  name: string,
  { output, ...options }: GetOptions,
): Promise<void> {
  const format = formatUnlessTemplate(output, ['wide', 'json', 'yaml', 'name']);
  const client = await cli.connect();
  const place = { ...(await placeOf(client, noun, options)), name };
  if (output === undefined || format === 'wide')
    return printTable(
      await orSimilar(client, place, client.table(place), options.project),
      format === 'wide',
      cli.write,
    );
  const object = await orSimilar(client, place, client.get(place), options.project);
  await writeObject(cli, output, object, name);
}

/** In one of `json`, `yaml`, `name` and `jsonpath=…`. Throws Failure, usage, for a template that it does not know. */
export async function writeObject(
  { write }: Cli,
  format: string,
  object: object,
  name: string,
): Promise<void> {
  const template = templateOf(format);
  if (template !== undefined) return write(fillTemplate(template, object));
  if (format === 'name') return write(`${name}\n`);
  await printObject(format === 'json' ? 'json' : 'yaml', object, write);
}
