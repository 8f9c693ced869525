import type { JsonValue, KubeObject, ObjectMeta } from '../../api/resource.js';
import { badRequest, quote } from './errors.js';

export { humanAge } from './duration.js';

/** One column of a Table (`meta.k8s.io` TableColumnDefinition). */
export interface Column {
  readonly name: string;
  /** OpenAPI type of the cells: `string`, `integer`, `boolean`, `date`. */
  readonly type: string;
  /** `name` for the column that holds the object's name; else mostly empty. */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; above it only in `-o wide`. */
  readonly priority: number;
}

/** One row; `object` is null with `includeObject=None`. */
export interface TableRow {
  readonly cells: readonly JsonValue[];
  readonly object: KubeObject | PartialObjectMetadata | null;
}

export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

/** metadata of a list or a Table. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly Column[] | null;
  readonly rows: readonly TableRow[];
}

/** The versions of `meta.k8s.io` that clients may ask for. */
export type MetaVersion = 'v1' | 'v1beta1';
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** `columns` is null in the events of a watch after the first. `rows` come from {@link tableRow}. */
export function buildTable(
  columns: readonly Column[] | null,
  rows: readonly TableRow[],
  listMeta: ListMeta,
  version: MetaVersion = 'v1',
): Table {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta,
    columnDefinitions: columns,
    rows,
  };
}

/** A row with the part of its object that `includeObject` requests. */
export function tableRow(
  cells: readonly JsonValue[],
  object: KubeObject,
  includeObject: IncludeObject = 'Metadata',
  version: MetaVersion = 'v1',
): TableRow {
  if (includeObject === 'None') return { cells, object: null };
  return { cells, object: includeObject === 'Object' ? object : partialObjectMetadata(object, version) };
}

/** The response to `as=PartialObjectMetadata` for an object. */
export function partialObjectMetadata(
  object: Pick<KubeObject, 'metadata'>,
  version: MetaVersion = 'v1',
): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}

/** The query parameter `includeObject`; absent and empty are `Metadata`. Throws 400 for any other value. */
export function parseIncludeObject(value: string | null | undefined): IncludeObject {
  if (value === undefined || value === null || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${quote(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}
