import { escapeFieldValue } from '../../../pkg/apimachinery/selectors/fields.js';
import type { Cli, Verb } from '../cli.js';
import type { Client, Place, Table } from '../connection/client.js';
import { usage } from '../failure.js';
import { NOUNS, type Noun, type PlaceOptions, placeOf } from '../kinds.js';
import { helpNotes } from '../output/helpnotes.js';
import { formatUnlessTemplate, nameOf, printTable } from '../output/output.js';
import { writeObject } from './nouns/getobject.js';
import { unknownNames } from './nouns/unknownnames.js';
import { listProjectParts } from './projectparts/show.js';
import { watchObjects, watchTable } from './nouns/watchlist.js';
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

You see your own keys, and administrators those of everybody. Keys of kubeconfigs that the server wrote are among them; "management-apiserver admin-key" lists and revokes these when nobody can log in.
`,
  cluster: `
Examples:
  platform list clusters
  platform list allowedclusters --project web     those that a project may use
`,
};

/** `platform list NOUN`. */
export const list: Verb = (program, cli) => {
  const command = program.command('list').description('List objects.');
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
  const findPlace = async (client: Client): Promise<Place> => ({
    ...(await placeOf(client, noun, options)),
    ...queryOf(options),
  });
  await listObjects(cli, options, findPlace, (table, place) => {
    const everywhere = noun.within !== 'cluster' && place.namespace === undefined;
    const all = noun.word === 'accesskey' ? withState(table) : table;
    return everywhere ? withNamespaces(all) : all;
  });
}

function queryOf({ selector, user, team }: NounOptions): Pick<Place, 'query'> {
  const fields = [
    ...(user === undefined ? [] : [`spec.user=${escapeFieldValue(user)}`]),
    ...(team === undefined ? [] : [`spec.team=${escapeFieldValue(team)}`]),
  ];
  const query = new URLSearchParams({
    ...(selector !== undefined && { labelSelector: selector }),
    ...(fields.length > 0 && { fieldSelector: fields.join(',') }),
  });
  return query.size === 0 ? {} : { query: query.toString().replaceAll('+', '%20') };
}

/** Lists a collection, and watches it if the options say so. `shown`: the table of the server as it is printed. */
export async function listObjects(
  cli: Cli,
  options: Pick<ListOptions, 'output' | 'watch' | 'outputWatchEvents' | 'project'>,
  findPlace: (client: Client) => Promise<Place>,
  shown: (table: Table, place: Place) => Table = (table) => table,
): Promise<void> {
  const { output } = options;
  const format = formatUnlessTemplate(output, ['wide', 'json', 'yaml', 'name']);
  const client = await cli.connect();
  const { watch = false, outputWatchEvents: events = false } = options;
  if (events && !watch) throw usage('--output-watch-events needs --watch');
  const place = await findPlace(client);
  if (output === undefined || format === 'wide') {
    const shownAs = (table: Table): Table => shown(table, place);
    if (watch) return watchTable(cli, client, place, { wide: format === 'wide', events, shownAs });
    const table = await client.table(place);
    if (table.rows.length === 0) return tellNothing(cli, client, options);
    return printTable(shownAs(table), format === 'wide', cli.write);
  }
  if (watch && format === undefined) throw usage('--watch takes no jsonpath');
  if (watch && format !== undefined) return watchObjects(cli, client, place, { format, events });
  const answer = await client.get<{ items: KubeObject[] }>(place);
  if (format === 'name') return cli.write(answer.items.map((item) => `${nameOf(item)}\n`).join(''));
  await writeObject(cli, output, answer, '');
}

/** The message of an empty list: it says whether the project exists. */
async function tellNothing(
  { terminal }: Cli,
  client: Client,
  { project }: Pick<ListOptions, 'project'>,
): Promise<void> {
  const warnings = project === undefined ? [] : await unknownNames(client, { projects: [project] });
  for (const warning of warnings) terminal.tell(`Warning: ${warning}`);
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
