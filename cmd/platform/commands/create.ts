import type { KubeObject } from '../../../api/resource.js';
import { createAccessKey } from './createaccesskey.js';
import type { Cli, Verb } from '../cli.js';
import { createCluster } from './createcluster.js';
import { type Noun, type PlaceOptions, NOUNS, placeOf } from '../kinds.js';
import { managementObject } from '../objects.js';
import { chosenFormat, nameOf, printObject } from '../output/output.js';

interface CreateOptions extends PlaceOptions {
  readonly displayName?: string;
  readonly description?: string;
  readonly cluster?: string;
  readonly output?: string;
}

const CREATED: readonly string[] = ['project', 'space', 'vcluster'];

/** `platform create accesskey|cluster|project|space|vcluster NAME`. */
export const create: Verb = (program, cli) => {
  const command = program.command('create').description('Create an object.');
  createAccessKey(command, cli);
  createCluster(command, cli);
  for (const noun of NOUNS.filter(({ word }) => CREATED.includes(word))) {
    const one = command
      .command(`${noun.word} <name>`)
      .description(`Create a ${noun.word}.`)
      .option('--display-name <text>', 'Name shown in the UI.')
      .option('--description <text>', 'What it is for.')
      .option('-o, --output <format>', 'json, yaml or name.');
    if (noun.within === 'project')
      one
        .option('--project <project>', 'Project to create it in.')
        .option('--cluster <cluster>', 'Connected cluster to run on.');
    one
      .addHelpText(
        'after',
        `\nExample:\n  platform create ${noun.word} ${noun.within === 'project' ? 'staging --project web' : 'web'}\n`,
      )
      .action((name: string, options: CreateOptions) => createNoun(cli, noun, name, options));
  }
};

async function createNoun(cli: Cli, noun: Noun, name: string, options: CreateOptions): Promise<void> {
  const format = chosenFormat(options.output, ['json', 'yaml', 'name']);
  const { displayName, description, cluster } = options;
  const client = await cli.connect();
  const spec = {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(cluster !== undefined && { clusterRef: { cluster } }),
  };
  const created = await client.create<KubeObject>(
    await placeOf(client, noun, options),
    managementObject(noun.kind, { name }, { spec }),
  );
  if (format === 'name') return cli.write(`${nameOf(created)}\n`);
  if (format !== undefined) return printObject(format, created, cli.write);
  cli.terminal.tell(`Created ${noun.word} "${nameOf(created)}".`);
}
