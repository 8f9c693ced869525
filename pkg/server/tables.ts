import type { JsonValue } from '../../api/resource.js';
import type { Column, ListMeta, Table, TableRow } from '../apimachinery/table.js';
import { buildTable, tableRow } from '../apimachinery/table.js';
import type { Entry } from '../cache/interface.js';
import type { ResourceStore } from '../registry/resourcestore.js';
import type { TableColumn } from '../registry/strategy.js';
import type { TableRequest } from './representation.js';

const NAME_COLUMN: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically.',
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? '',
};

/** A Table of entries with the columns of their kind. */
export function tableOf(
  store: ResourceStore,
  entries: readonly Entry[],
  meta: ListMeta,
  request: TableRequest,
): Table {
  const own = store.strategy.columns ?? [];
  const columns = own.some(({ name }) => name === NAME_COLUMN.name) ? own : [NAME_COLUMN, ...own];
  const now = Date.now();
  const rows = entries.map((entry) => rowOf(columns, entry, now, request));
  return buildTable(columns.map(definitionOf), rows, meta, request.version);
}

function rowOf(columns: readonly TableColumn[], entry: Entry, now: number, request: TableRequest): TableRow {
  const object = entry.object();
  const cells = columns.map((column) => column.cell(object, now) as JsonValue);
  return tableRow(cells, object, request.includeObject, request.version);
}

function definitionOf({ name, type, format, description, priority }: TableColumn): Column {
  return { name, type, format, description, priority };
}
