import { membersOf } from '../../../pkg/apimachinery/encoding/members.js';
import type { Cli, Verb } from '../cli.js';
import { ifFound, type Client, type Place } from '../connection/client.js';
import { Failure, messageOf } from '../failure.js';
import { type PlaceOptions, placeOf } from '../kinds.js';
import { NOUNS, type Noun } from '../nouns.js';
import {
  commandsOf,
  ENTRY_OPTION,
  findSecret,
  type NameOptions,
  splitName,
  WHOLE_OPTION,
} from '../secretname.js';
import { confirm, withProgress } from '../output/terminal.js';

interface DeleteOptions extends PlaceOptions, NameOptions {
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** How often, and how long, a deletion that waits is checked. */
const CHECK_INTERVAL_MS = 500;
const DELETION_TIMEOUT_MS = 10 * 60_000;

/** `platform delete secret|accesskey|project|space|vcluster|cluster NAME`. */
export const remove: Verb = (program, cli) => {
  const command = program.command('delete').description('Delete an object, or an entry of a secret.');
  for (const noun of NOUNS) {
    const one = command
      .command(`${noun.word} <names...>`)
      .alias(`${noun.word}s`)
      .description(
        noun.within === 'namespace'
          ? 'Delete secrets, NAME, or their entries, NAME.ENTRY.'
          : `Delete ${noun.many}.`,
      )
      .option('-y, --yes', 'Do not ask.')
      .option('--wait', 'Wait until it is gone.');
    if (noun.within !== 'cluster') one.option('--project <project>', 'Project that it is in.');
    if (noun.within === 'namespace')
      one
        .option('-n, --namespace <namespace>', 'Namespace that it is in (default: default).')
        .option(...ENTRY_OPTION)
        .option(...WHOLE_OPTION);
    one
      .addHelpText(
        'after',
        `\nExample:\n  platform delete ${noun.word} NAME${noun.within === 'project' ? ' --project web' : ''} --yes\n`,
      )
      .action((names: string[], options: DeleteOptions) => deleteAll(cli, noun, names, options));
  }
};

interface Target {
  readonly name: string;
  readonly entry: string | undefined;
  readonly what: string;
}

async function targetOf(
  client: Client,
  noun: Noun,
  collection: Place,
  text: string,
  options: DeleteOptions,
): Promise<Target> {
  if (noun.word !== 'secret') return { name: text, entry: undefined, what: `${noun.word} "${text}"` };
  const commands = commandsOf('delete', text, options);
  const { name, entry } = await findSecret(client, collection, text, options, commands);
  return {
    name,
    entry,
    what: entry === undefined ? `secret "${name}"` : `entry "${entry}" of secret "${name}"`,
  };
}

async function deleteAll(
  cli: Cli,
  noun: Noun,
  names: readonly string[],
  options: DeleteOptions,
): Promise<void> {
  if (noun.word === 'secret') for (const text of names) splitName(text, options);
  const client = await cli.connect();
  const collection = await placeOf(client, noun, options);
  const targets: Target[] = [];
  for (const text of names) targets.push(await targetOf(client, noun, collection, text, options));
  const all = targets.map(({ what }) => what).join(', ');
  const sure =
    options.yes === true || (await confirm(cli.terminal, `Delete ${all}?`, `say --yes to delete ${all}`));
  if (!sure) throw new Failure('failed', 'nothing was deleted');
  const { deleted, failures } = await deleteEach(cli, client, collection, targets);
  if (options.wait === true)
    for (const { name, entry, what } of deleted)
      if (entry === undefined)
        await withProgress(
          cli.terminal,
          `Waiting for ${what} to be gone`,
          untilGone(client, { ...collection, name }),
        );
  const last = failures.pop();
  for (const failure of failures) cli.terminal.tell(`platform: ${messageOf(failure)}`);
  if (last !== undefined) throw last;
}

interface Outcome {
  readonly deleted: readonly Target[];
  /** Failures alone; one of another class ends the command. */
  readonly failures: Failure[];
}

/** One that fails does not keep the others. */
async function deleteEach(
  cli: Cli,
  client: Client,
  collection: Omit<Place, 'name'>,
  targets: readonly Target[],
): Promise<Outcome> {
  const deleted: Target[] = [];
  const failures: Failure[] = [];
  for (const target of targets)
    try {
      await deleteOne(cli, client, { ...collection, name: target.name }, target);
      deleted.push(target);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  return { deleted, failures };
}

async function deleteOne(cli: Cli, client: Client, place: Place, { entry, what }: Target): Promise<void> {
  if (entry !== undefined) await removeEntry(client, place, entry);
  else await client.remove(place);
  cli.terminal.tell(`Deleted ${what}.`);
}

async function removeEntry(client: Client, place: Place, entry: string): Promise<void> {
  const { spec } = await client.get(place);
  if (!Object.hasOwn(membersOf(membersOf(spec).data), entry))
    throw new Failure('notFound', `secret "${place.name}" has no entry "${entry}"`);
  await client.merge(place, { spec: { data: { [entry]: null } } });
}

async function untilGone(client: Client, place: Place): Promise<void> {
  const { setTimeout: sleep } = await import('node:timers/promises');
  const end = performance.now() + DELETION_TIMEOUT_MS;
  while ((await ifFound(client.get(place))) !== undefined) {
    if (performance.now() > end)
      throw new Failure('failed', `"${place.name}" is still there; its status says what it waits for`);
    await sleep(CHECK_INTERVAL_MS);
  }
}
