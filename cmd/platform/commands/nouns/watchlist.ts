/** `platform list NOUN --watch`: what is there, and then each change. */
import { isKubeObject, type KubeObject } from '../../../../api/resource.js';
import { membersOf } from '../../../../pkg/apimachinery/encoding/members.js';
import type { Cli } from '../../cli.js';
import type { Client, Place, Table } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { nameOf, printObject, type rowPrinter } from '../../output/output.js';
import { followList, type Listed, type ListSource, type ListState } from './followlist.js';

type Row = Table['rows'][number];

type EventTable = Omit<Table, 'columnDefinitions'> & {
  readonly columnDefinitions?: Table['columnDefinitions'] | null;
};

const isTable = (object: object): object is EventTable => 'rows' in object && Array.isArray(object.rows);

export interface TableWatch {
  readonly wide: boolean;
  /** Whether a column has the type of each change. */
  readonly events: boolean;
  /** Several watches may have one. */
  readonly print: ReturnType<typeof rowPrinter>;
  /** A table of the server as it is shown. */
  shownAs(table: Table): Table;
}

/** Ends by a Failure alone. */
export async function watchTable(
  cli: Cli,
  client: Client,
  place: Place,
  { wide, events, shownAs, print }: TableWatch,
): Promise<void> {
  /** As the server tells them, and as they are shown. */
  let told: Table['columnDefinitions'] = [];
  let columns: Table['columnDefinitions'] = [];
  const read = (object: object): ListState<Row> => {
    if (!isTable(object)) throw new Failure('failed', 'the server sends no table');
    // Only the first event of a watch tells the columns.
    const { columnDefinitions, ...rest } = object;
    if (columnDefinitions && columnDefinitions.length > 0) told = columnDefinitions;
    const table = { ...rest, columnDefinitions: told };
    const shown = shownAs(table);
    columns = shown.columnDefinitions;
    return stateOf(table, shown.rows);
  };
  const source = sourceOf(cli, client, place, { form: 'tables', read, list: (at) => client.table(at) });
  await followList(source, (changes) => {
    const shown = columns.flatMap(({ priority }, at) => (priority === 0 || wide ? [at] : []));
    const headings = shown.map((at) => columns[at]?.name ?? '');
    const rows = changes.map(({ type, value }) => [
      ...(events ? [type.padEnd(8)] : []),
      ...shown.map((at) => value.cells[at]),
    ]);
    if (rows.length > 0) print([...(events ? ['Event'] : []), ...headings], rows);
  });
}

/** Each object as a document of its own. */
export async function watchObjects(
  cli: Cli,
  client: Client,
  place: Place,
  { format, events }: { readonly format: 'json' | 'yaml' | 'name'; readonly events: boolean },
): Promise<void> {
  const source = objectSource(cli, client, place);
  await followList(source, async (changes) => {
    for (const { type, value } of changes) {
      const name = nameOf(value);
      if (format === 'name') cli.write(`${events ? `${type} ` : ''}${name}\n`);
      else {
        if (format === 'yaml') cli.write('---\n');
        await printObject(format, events ? { type, object: value } : value, cli.write);
      }
    }
  });
}

/** Objects of a place, and their changes. */
export function objectSource(cli: Cli, client: Client, place: Place): ListSource<KubeObject> {
  const read = (object: object): ListState<KubeObject> => {
    const { items, metadata = {}, ...rest }: ListOrObject = membersOf(object);
    const { resourceVersion = '' } = metadata;
    if (items !== undefined) return { resourceVersion, items: items.map((item) => listed(item, item)) };
    const one = { ...rest, metadata };
    if (!isKubeObject(one)) throw new Failure('failed', 'the server sends no object');
    return { resourceVersion, items: [listed(one, one)] };
  };
  return sourceOf(cli, client, place, { form: 'objects', read, list: (at) => client.get(at) });
}

type ListOrObject = Partial<KubeObject> & { readonly items?: readonly KubeObject[] };

interface Reading<T> {
  readonly form: 'objects' | 'tables';
  readonly read: (object: object) => ListState<T>;
  readonly list: (place: Place) => Promise<object>;
}

function sourceOf<T>(
  { terminal }: Cli,
  client: Client,
  place: Place,
  { form, read, list }: Reading<T>,
): ListSource<T> {
  const since = (resourceVersion: string): Place => {
    const watch = `watch=true&allowWatchBookmarks=true&resourceVersion=${encodeURIComponent(resourceVersion)}`;
    return { ...place, query: place.query === undefined ? watch : `${place.query}&${watch}` };
  };
  return {
    read,
    list: async () => read(await list(place)),
    watch: (resourceVersion, opened) => client.watch(since(resourceVersion), form, opened),
    interrupted: (why) => terminal.tell(`${why}; trying again ...`),
  };
}

const stateOf = ({ metadata }: Table, rows: readonly Row[]): ListState<Row> => ({
  resourceVersion: metadata?.resourceVersion ?? '',
  items: rows.map((row) => listed(row, row.object)),
});

function listed<T>(value: T, object: KubeObject | undefined): Listed<T> {
  const { uid, namespace = '', name = '', resourceVersion = '' } = object?.metadata ?? {};
  return { id: uid ?? `${namespace}/${name}`, resourceVersion, value };
}
