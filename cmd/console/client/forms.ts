/**
 * The forms in which the server returns lists and watches: whole objects, or rows of a table, which do not contain the
 * data of objects.
 */
import type { KubeObject, ObjectMeta } from '../../../api/resource.js';

/** How one form is requested and read. */
export interface Form<Item> {
  readonly accept: string;
  /** The Accept header of a watch; absent: the same as for a list. */
  readonly acceptWatch?: string;
  /** The items of the response to a list. */
  readonly items: (answer: unknown) => Item[];
  /** The items of the object of a watch event; a table has one row in each event. */
  readonly changed: (object: unknown) => Item[];
  readonly metadata: (item: Item) => ObjectMeta;
}

interface ListAnswer<Found> {
  readonly items: readonly Found[];
}

/** Whole objects of one kind. `keep`: returns the part of each object that the browser keeps. */
export function objects<
  Item extends { readonly metadata: ObjectMeta },
  Found extends KubeObject = KubeObject,
>(keep: (object: Found) => Item): Form<Item> {
  return {
    accept: 'application/json',
    // The kind is that of the path, so the server returns objects of this type.
    items: (answer) => (answer as ListAnswer<Found>).items.map(keep),
    changed: (object) => [keep(object as Found)],
    metadata: ({ metadata }) => metadata,
  };
}

/** A row of a server-side table (`meta.k8s.io/v1 Table`): cells by the names of their columns, and metadata. */
export interface Row {
  /** Such as `sharedsecrets`. */
  readonly resource: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly metadata: ObjectMeta;
}

interface TableAnswer {
  readonly columnDefinitions?: readonly { readonly name: string }[] | null;
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { metadata: ObjectMeta } }[];
}

/** Rows of tables, which a path lists. The browser does not get the data of objects, such as secret values. */
export function tableRows(path: string): Form<Row> {
  const resource = /([^/?]+)(\?|$)/.exec(path)?.[1] ?? '';
  let columns: readonly string[] = [];
  const read = (answer: unknown): Row[] => {
    // The Accept header requests a table.
    const { columnDefinitions, rows } = answer as TableAnswer;
    if (columnDefinitions && columnDefinitions.length > 0)
      columns = columnDefinitions.map(({ name }) => name);
    return rows.map(({ cells, object }) => ({
      resource,
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
