import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { encodeJson } from '../../apimachinery/encoding/json.js';
import { partialMetadataBytes } from '../../apimachinery/encoding/metadatabytes.js';
import { LAST_APPLIED } from '../../apimachinery/managedfields/writeonly.js';
import {
  buildTable,
  partialObjectMetadata,
  tableRow,
  type Column,
  type IncludeObject,
  type ListMeta,
  type MetaVersion,
  type Table,
  type TableRow,
} from '../../apimachinery/table.js';
import type { Entry } from '../../cache/interface.js';
import type { Page } from '../../registry/generic/list.js';
import type { ResourceStore } from '../../registry/resourcestore.js';
import type { TableColumn } from '../../registry/strategy.js';
import { listMeta } from './listbody.js';
import { joinChunks } from './chunks.js';
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
  entries: Iterable<Entry>,
  meta: ListMeta,
  request: TableRequest,
): Table {
  const rows = [...tableRows(store, entries, request)];
  return buildTable(columnsOf(store).map(definitionOf), rows, meta, request.version);
}

/** Its rows, made as they are asked for. */
export function* tableRows(
  store: ResourceStore,
  entries: Iterable<Entry>,
  request: TableRequest,
): Generator<TableRow> {
  const table = rowsOf(store);
  const now = Date.now();
  for (const entry of entries) yield rowOf(table, entry, now, request);
}

/** The same as compact JSON in chunks; objects are copied from their bytes, without parsing. */
export function tableChunks(store: ResourceStore, page: Page, request: TableRequest): Generator<Buffer> {
  const table = rowsOf(store);
  const head = encodeJson(buildTable(table.columns.map(definitionOf), [], listMeta(page), request.version));
  return joinChunks(head.slice(0, -']}'.length), rowsBytes(table, page.entries, request), ']}\n');
}

function* rowsBytes(table: Rows, entries: Iterable<Entry>, request: TableRequest): Generator<Buffer> {
  const now = Date.now();
  for (const entry of entries) yield rowBytes(table, entry, now, request);
}

/** An object as a Table of one row, compact JSON. `first`: with the columns. */
export function eventTable(
  store: ResourceStore,
  entry: Entry,
  { version, includeObject }: TableRequest,
  first: boolean,
): Buffer {
  const table = rowsOf(store);
  const meta = { resourceVersion: String(entry.revision) };
  const head = encodeJson(buildTable(first ? table.columns.map(definitionOf) : null, [], meta, version));
  const row = rowBytes(table, entry, Date.now(), { version, includeObject });
  return Buffer.concat([Buffer.from(head.slice(0, -']}'.length)), row, TABLE_END]);
}

/**
 * A bookmark as a Table: the row of `object`, which is of the kind and empty but for metadata. With the annotation for the
 * end of initial events its metadata are included even without `includeObject`, as in kube-apiserver.
 */
export function bookmarkTable(
  store: ResourceStore,
  object: KubeObject,
  { version, includeObject }: TableRequest,
  first: boolean,
): Table {
  const columns = columnsOf(store);
  const { annotations } = object.metadata;
  const included = includeObject === 'None' && annotations !== undefined ? 'Metadata' : includeObject;
  const row = tableRow(cellsOf(columns, object, Date.now()), object, included, version);
  const { resourceVersion = '' } = object.metadata;
  return buildTable(first ? columns.map(definitionOf) : null, [row], { resourceVersion }, version);
}

const TABLE_END = Buffer.from(']}');
const ROW_END = Buffer.from('}');
const NULL = Buffer.from('null');

/** How the rows of a kind are made. */
interface Rows {
  readonly columns: readonly TableColumn[];
  /** Whether objects hold sensitive values, which kubectl's annotation repeats: rows leave it out. */
  readonly sensitive: boolean;
}

const rowsOf = (store: ResourceStore): Rows => ({
  columns: columnsOf(store),
  sensitive: store.schema.sensitivityOf(['metadata', 'annotations', LAST_APPLIED]) === 'sensitive',
});

function columnsOf({ strategy }: ResourceStore): readonly TableColumn[] {
  const own = strategy.columns ?? [];
  return own.some(({ name }) => name === NAME_COLUMN.name) ? own : [NAME_COLUMN, ...own];
}

function cellsOf(columns: readonly TableColumn[], object: KubeObject, now: number): JsonValue[] {
  return columns.map((column) => column.cell(object, now));
}

function rowBytes(table: Rows, entry: Entry, now: number, { includeObject, version }: TableRequest): Buffer {
  const cells = Buffer.from(`{"cells":${encodeJson(cellsOf(table.columns, entry.object(), now))},"object":`);
  return Buffer.concat([cells, rowObject(table, entry, includeObject, version), ROW_END]);
}

function rowObject(
  { sensitive }: Rows,
  entry: Entry,
  includeObject: IncludeObject,
  version: MetaVersion,
): Buffer {
  if (includeObject === 'None') return NULL;
  if (includeObject === 'Object') return entry.bytes;
  const bytes = partialMetadataBytes(entry.bytes, version);
  if (!sensitive || !bytes.includes(LAST_APPLIED)) return bytes;
  return Buffer.from(encodeJson(partialObjectMetadata(withoutLastApplied(entry.object()), version)));
}

/** The metadata without kubectl's annotation. */
function withoutLastApplied(object: KubeObject): Pick<KubeObject, 'metadata'> {
  const { metadata } = object;
  if (metadata.annotations?.[LAST_APPLIED] === undefined) return object;
  const { [LAST_APPLIED]: _object, ...annotations } = metadata.annotations;
  return { metadata: { ...metadata, annotations } };
}

function rowOf(table: Rows, entry: Entry, now: number, request: TableRequest): TableRow {
  const object = entry.object();
  const { includeObject, version } = request;
  const cells = cellsOf(table.columns, object, now);
  if (includeObject !== 'Metadata' || !table.sensitive)
    return tableRow(cells, object, includeObject, version);
  return { cells, object: partialObjectMetadata(withoutLastApplied(object), version) };
}

function definitionOf({ name, type, format, description, priority }: TableColumn): Column {
  return { name, type, format, description, priority };
}
