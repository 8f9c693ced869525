import type { JsonValue, KubeObject, ObjectMeta } from '../../api/resource.js';
import { badRequest, quote } from './errors.js';

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
  shardInfo?: { readonly selector: string };
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

/**
 * Formats an age like kubectl (`k8s.io/apimachinery/pkg/util/duration.HumanDuration`): `5s`, `3m20s`, `2d4h`,
 * `3y10d`. `<unknown>` without a valid `from`; `<invalid>` if it is two seconds or more in the future. Numbers are
 * milliseconds since 1970.
 */
export function humanAge(from: string | number | Date | undefined, now: number | Date): string {
  if (from === undefined || from === '') return '<unknown>';
  const elapsed = Number(now) - new Date(from).getTime();
  return Number.isNaN(elapsed) ? '<unknown>' : humanDuration(elapsed);
}

/** Formats milliseconds in at most two units. */
function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return two(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
}

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
