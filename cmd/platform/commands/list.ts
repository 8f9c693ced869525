import { escapeFieldValue } from '../../../pkg/apimachinery/selectors/fields.js';
import type { Cli, Verb } from '../cli.js';
import { type Client, ifReadable, type Place, type Table } from '../connection/client.js';
import { type PlaceOptions, placeOf } from '../kinds.js';
import { NOUNS, PROJECT_PREFIX, type Noun } from '../nouns.js';
import { helpNotes } from '../output/helpnotes.js';
import { Failure, messageOf, usage } from '../failure.js';
import { EVERY_SECRET, withPlaces } from './secrets/everysecret.js';
import { formatUnlessTemplate, nameOf, printTable, rowPrinter } from '../output/output.js';
import { writeObject } from './nouns/getobject.js';
import { mustExist } from './nouns/unknownnames.js';
import { listProjectParts } from './projectparts/show.js';
import { watchObjects, watchTable } from './nouns/watchlist.js';
import { selfOf } from '../self.js';
import type { KubeObject } from '../../../api/resource.js';

export interface ListOptions extends PlaceOptions {
  readonly output?: string;
  readonly selector?: string;
  readonly watch?: boolean;
  readonly outputWatchEvents?: boolean;
}

interface NounOptions extends ListOptions {
  /** Of access keys: whose. */
  readonly user?: string;
  readonly team?: string;
}

/** Examples of nouns that there is more to say of. */
const NOTES: Readonly<Record<string, string>> = {
  accesskey: `
Examples:
  platform list accesskeys
  platform list accesskeys --user ada
  platform list accesskeys --project web     those of a project

You see your own keys and those of the projects whose members you manage, and administrators those of everybody. Keys of kubeconfigs that the server wrote are among them. When nobody can log in, "management-apiserver admin-key list" and "management-apiserver admin-key revoke NAME" list and revoke these.
`,
  secret: `
Examples:
  platform list secrets
  platform list secrets --project web     those of a project
  platform list secrets -A                both kinds, everywhere
`,
  cluster: `
Examples:
  platform list clusters
  platform list allowedclusters --project web     those that a project may use
`,
};

/** `platform list NOUN`. */
export const list: Verb = (program, cli) => {
  const command = program
    .command('list')
    .description('List objects, or members, allowed clusters and quotas of a project.');
  listProjectParts(command, cli);
  for (const noun of NOUNS) {
    const one = command
      .command(noun.word)
      .alias(`${noun.word}s`)
      .description(`List ${noun.many}.`)
      .option('-l, --selector <labels>', 'Only those with these labels: tier=gold,env!=test.')
      .option('-o, --output <format>', 'wide, json, yaml, name or jsonpath=TEMPLATE.')
      .option('-w, --watch', 'After listing, watch for changes until Ctrl-C or until the credentials expire.')
      .option('--output-watch-events', 'With --watch: say what each change is.');
    if (noun.within !== 'cluster')
      one
        .option('--project <project>', 'Project to look in.')
        .option('-A, --all-namespaces', 'Look everywhere.');
    if (noun.within === 'namespace')
      one.option('-n, --namespace <namespace>', 'Namespace to look in (default: default).');
    if (noun.word === 'accesskey')
      one
        .option('--project <project>', 'Only those of this project.')
        .option('--user <user>', 'Only those of this user.')
        .option('--team <team>', 'Only those of this team.');
    const place = noun.within === 'project' ? ' --project web' : '';
    const examples = `\nExample:\n  platform list ${noun.word}${place}\n`;
    one
      .addHelpText('after', helpNotes(NOTES[noun.word] ?? examples))
      .action((options: NounOptions) => listNoun(cli, noun, options));
  }
};

async function listNoun(cli: Cli, noun: Noun, options: NounOptions): Promise<void> {
  let prefix = PROJECT_PREFIX;
  const findPlaces = async (client: Client): Promise<Place[]> => {
    const place = await placeOf(client, noun, options);
    const everySecret = noun.word === 'secret' && place.namespace === undefined;
    if (everySecret) prefix = (await ifReadable(selfOf(client)))?.projectNamespacePrefix ?? PROJECT_PREFIX;
    return (everySecret ? EVERY_SECRET : [place]).map((one) => ({ ...one, ...queryOf(noun, options) }));
  };
  await listObjects(cli, options, findPlaces, (table, place) => {
    const everywhere = noun.within !== 'cluster' && place.namespace === undefined;
    const all = noun.word === 'accesskey' ? withState(table) : table;
    if (!everywhere) return all;
    return noun.word === 'secret' ? withPlaces(all, place, prefix) : withNamespaces(all);
  });
}

function queryOf(noun: Noun, { selector, user, team, project }: NounOptions): Pick<Place, 'query'> {
  const ofProject = noun.word === 'accesskey' ? project : undefined;
  const fields = [
    ...(ofProject === undefined ? [] : [`spec.project=${escapeFieldValue(ofProject)}`]),
    ...(user === undefined ? [] : [`spec.user=${escapeFieldValue(user)}`]),
    ...(team === undefined ? [] : [`spec.team=${escapeFieldValue(team)}`]),
  ];
  const query = new URLSearchParams({
    ...(selector !== undefined && { labelSelector: selector }),
    ...(fields.length > 0 && { fieldSelector: fields.join(',') }),
  });
  return query.size === 0 ? {} : { query: query.toString().replaceAll('+', '%20') };
}

/** Lists collections, and watches them if the options say so. `shown`: the table of the server as it is printed. */
export async function listObjects(
  cli: Cli,
  options: Pick<ListOptions, 'output' | 'watch' | 'outputWatchEvents' | 'project'>,
  findPlaces: (client: Client) => Promise<readonly Place[]>,
  shown: (table: Table, place: Place) => Table = (table) => table,
): Promise<void> {
  const { output } = options;
  const format = formatUnlessTemplate(output, ['wide', 'json', 'yaml', 'name']);
  const { watch = false, outputWatchEvents: events = false } = options;
  if (events && !watch) throw usage('--output-watch-events needs --watch');
  if (watch && output !== undefined && format === undefined) throw usage('--watch takes no jsonpath');
  const client = await cli.connect();
  const places = await findPlaces(client);
  const of = <T>(work: (place: Place) => Promise<T>): Promise<T[]> => ofEach(cli, places, work, watch);
  if (output === undefined || format === 'wide') {
    const print = rowPrinter(cli.write);
    const showing = { wide: format === 'wide', events, print };
    const follow = (place: Place): Promise<void> =>
      watchTable(cli, client, place, { ...showing, shownAs: (table) => shown(table, place) });
    if (watch) return void (await of(follow));
    const tables = await of(async (place) => shown(await client.table(place), place));
    const table = joined(tables);
    if (table.rows.length === 0) return tellNothing(cli, client, options);
    return printTable(table, format === 'wide', cli.write);
  }
  if (watch && format !== undefined)
    return void (await of((place) => watchObjects(cli, client, place, { format, events })));
  const lists = await of((place) => client.get<ObjectList>(place));
  const items = lists.flatMap((one) => one.items);
  if (format === 'name') return cli.write(items.map((item) => `${nameOf(item)}\n`).join(''));
  const [only] = lists;
  const list = places.length === 1 ? only : { kind: 'List', apiVersion: 'v1', metadata: {}, items };
  await writeObject(cli, output, list ?? {}, '');
}

interface ObjectList {
  readonly items: readonly KubeObject[];
}

/**
 * Of each place. One that may not be read is told, and the others go on; rejects with any other failure, and where none may.
 * `atOnce`: the others may last.
 */
async function ofEach<T>(
  { terminal }: Cli,
  places: readonly Place[],
  work: (place: Place) => Promise<T>,
  atOnce: boolean,
): Promise<T[]> {
  const tell = (error: unknown): void => terminal.tell(`Warning: ${messageOf(error)}`);
  let going = places.length;
  const done = await Promise.allSettled(
    places.map(async (place) => {
      try {
        return await work(place);
      } catch (error) {
        going -= 1;
        if (atOnce && going > 0) tell(error);
        throw error;
      }
    }),
  );
  const isForbidden = ({ reason }: PromiseRejectedResult): boolean =>
    reason instanceof Failure && reason.reason === 'forbidden';
  const failures = done.filter((one) => one.status === 'rejected');
  const failed = failures.find((one) => !isForbidden(one)) ?? failures[0];
  const values = done.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (failed !== undefined && (values.length === 0 || !isForbidden(failed))) throw failed.reason;
  if (!atOnce) for (const { reason } of failures) tell(reason);
  return values;
}

/** Tables with the same columns as one, in the order of namespaces and names. */
function joined(tables: readonly Table[]): Table {
  const [first, ...others] = tables;
  if (first === undefined || others.length === 0) return first ?? { columnDefinitions: [], rows: [] };
  const orderOf = ({ object }: Table['rows'][number]): string =>
    `${object?.metadata.namespace}/${object?.metadata.name}`;
  const rows = tables.flatMap((table) => table.rows);
  return { ...first, rows: rows.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)) };
}

/** The message of an empty list. Rejects with a Failure for a project that does not exist. */
async function tellNothing(
  { terminal }: Cli,
  client: Client,
  { project }: Pick<ListOptions, 'project'>,
): Promise<void> {
  await mustExist(client, project);
  terminal.tell('Nothing found.');
}

/** A disabled key is useless: every list has a column for it. */
function withState({ columnDefinitions, rows }: Table): Table {
  const shown = columnDefinitions.map((one) => (one.name === 'Disabled' ? { ...one, priority: 0 } : one));
  return { columnDefinitions: shown, rows };
}

/** As kubectl does, objects of several namespaces have the namespace in the first column. */
function withNamespaces({ columnDefinitions, rows }: Table): Table {
  return {
    columnDefinitions: [{ name: 'Namespace', priority: 0 }, ...columnDefinitions],
    rows: rows.map(({ cells, object }) => ({
      cells: [object?.metadata.namespace ?? '', ...cells],
      ...(object !== undefined && { object }),
    })),
  };
}
