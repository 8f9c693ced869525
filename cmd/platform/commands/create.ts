import type { KubeObject } from '../../../api/resource.js';
import { createAccessKey } from './createaccesskey.js';
import type { Cli, Verb } from '../cli.js';
import { createCluster } from './createcluster.js';
import { createGroupRule } from './grouprules/creategrouprule.js';
import { createSecret } from './secrets/createsecret.js';
import { type PlaceOptions, placeOf } from '../kinds.js';
import { NOUNS, type Noun } from '../nouns.js';
import { Failure } from '../failure.js';
import { unknownNames } from './nouns/unknownnames.js';
import { untilReady } from './nouns/untilready.js';
import { chooseCluster } from './nouns/choosecluster.js';
import { managementObject } from '../objects.js';
import { limitOf, quotasOf, tellCounted } from './projectparts/quotas.js';
import { chosenFormat, nameOf, printObject } from '../output/output.js';
import { UNKNOWN_OPTION, warnAndAsk, YES_OPTION, type NamesOptions } from '../output/warnings.js';

interface CreateOptions extends PlaceOptions, NamesOptions {
  readonly displayName?: string;
  readonly description?: string;
  readonly cluster?: string;
  readonly output?: string;
  readonly email?: string;
  readonly group?: string[];
  readonly user?: string[];
  readonly quota?: string[];
  /** False for `--no-wait`; undefined: where a person looks on. */
  readonly wait?: boolean;
}

const CREATED: readonly string[] = ['user', 'team', 'project', 'space'];

/** `platform create NOUN NAME`. */
export const create: Verb = (program, cli) => {
  const command = program.command('create').description('Create an object.');
  createAccessKey(command, cli);
  createCluster(command, cli);
  createGroupRule(command, cli);
  createSecret(command, cli);
  for (const noun of NOUNS.filter(({ word }) => CREATED.includes(word))) {
    const one = command
      .command(`${noun.word} <name>`)
      .description(`Create ${noun.one}.`)
      .option('--display-name <text>', 'Name shown in the UI.')
      .option('--description <text>', 'What it is for.')
      .option('-o, --output <format>', 'json, yaml or name.');
    if (noun.within === 'project')
      one
        .option('--project <project>', 'Project to create it in.')
        .option('--cluster <cluster>', 'Connected cluster to run on (default: the only one of the project).')
        .option('--wait', 'Wait until it is ready (default: at a terminal).')
        .option('--no-wait', 'Do not wait until it is ready.');
    if (noun.word === 'project')
      one.option(
        '--quota <limits...>',
        'What it may have: instances=3 secrets=20, as with "platform set quota".',
      );
    if (noun.word === 'user') one.option('--email <address>', 'E-mail address.');
    if (noun.word === 'user') one.option('--group <group...>', 'Groups that the user is in.');
    if (noun.word === 'team') one.option('--user <user...>', 'Users who are members.');
    if (noun.word === 'team') one.option('--group <group...>', 'Groups whose users are members.');
    if (noun.word === 'team') one.option(...UNKNOWN_OPTION).option(...YES_OPTION);
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
  const { displayName, description, email, group, user } = options;
  const limits = options.quota?.map(limitOf);
  const client = await cli.connect();
  const place = await placeOf(client, noun, options);
  const cluster = options.cluster ?? (options.project && (await chooseCluster(cli, client, options.project)));
  const spec = {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(cluster !== undefined && { clusterRef: { cluster } }),
    ...(email !== undefined && { email }),
    ...(group !== undefined && { groups: group }),
    ...(user !== undefined && { users: user }),
    ...(limits !== undefined && { quotas: quotasOf(limits) }),
  };
  if (user !== undefined)
    await warnAndAsk(cli, { unknown: await unknownNames(client, { users: user }) }, options);
  const created = await client.create<KubeObject>(place, managementObject(noun.kind, { name }, { spec }));
  if (format === 'name') return cli.write(`${nameOf(created)}\n`);
  if (format !== undefined) return printObject(format, created, cli.write);
  tellCounted(cli, limits ?? []);
  cli.terminal.tell(`Created ${noun.word} "${nameOf(created)}".`);
  if (noun.within !== 'project') return;
  const wait = options.wait ?? cli.terminal.interactive;
  if (cluster !== undefined) return wait ? untilReady(cli, client, { ...place, name }, noun.word) : undefined;
  const { project = '' } = options;
  const why = `the ${noun.word} "${name}" stays Pending: it has no cluster, and "${project}" has none for it: allow one with "platform allow cluster NAME --project ${project}", and set spec.clusterRef.cluster to it`;
  if (options.wait === true) throw new Failure('failed', why);
  cli.terminal.tell(`Warning: ${why}`);
}
