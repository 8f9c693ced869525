/** The shapes in which lists and watches come: whole objects, or rows of a table without what objects hold. */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';

/** How one shape is asked for and read. */
export interface Form<Item> {
  readonly accept: string;
  /** Of a watch; absent: as of a list. */
  readonly acceptWatch?: string;
  /** The items of a list's answer. */
  readonly items: (answer: unknown) => Item[];
  /** The items of a watch event's object; a table has one row an event. */
  readonly changed: (object: unknown) => Item[];
  readonly metadata: (item: Item) => ObjectMeta;
}

interface ListAnswer<Found> {
  readonly items: readonly Found[];
}

/** Whole objects, of the kind that is listed. `keep`: what stays of each in this browser. */
export function objects<
  Item extends { readonly metadata: ObjectMeta },
  Found extends KubeObject = KubeObject,
>(keep: (object: Found) => Item): Form<Item> {
  return {
    accept: 'application/json',
    // The server answers with what is asked for: the kind is that of the path.
    items: (answer) => (answer as ListAnswer<Found>).items.map(keep),
    changed: (object) => [keep(object as Found)],
    metadata: ({ metadata }) => metadata,
  };
}

/** A row of a server-side table (`meta.k8s.io/v1 Table`): cells by the names of their columns, and metadata. */
export interface Row {
  readonly cells: Readonly<Record<string, string>>;
  readonly metadata: ObjectMeta;
}

interface TableAnswer {
  readonly columnDefinitions?: readonly { readonly name: string }[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { metadata: ObjectMeta } }[];
}

/** Rows of tables: what objects hold (values of secrets) does not come here at all. */
export function tableRows(): Form<Row> {
  let columns: readonly string[] = [];
  const read = (answer: unknown): Row[] => {
    // What `accept` asks for.
    const { columnDefinitions, rows } = answer as TableAnswer;
    if (columnDefinitions && columnDefinitions.length > 0)
      columns = columnDefinitions.map(({ name }) => name);
    return rows.map(({ cells, object }) => ({
      metadata: withoutFields(object.metadata),
      cells: Object.fromEntries(columns.map((name, at) => [name, textOf(cells[at])])),
    }));
  };
  return {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
    items: read,
    changed: read,
    metadata: ({ metadata }) => metadata,
  };
}

function withoutFields(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _dropped, ...rest } = metadata;
  return rest;
}

function textOf(cell: unknown): string {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? '' : JSON.stringify(cell);
}
