/**
 * Decoded metadata.managedFields: the fields of each manager, operation and subresource, and for updates of each
 * apiVersion (`k8s.io/apimachinery/pkg/util/managedfields/internal`, managedfields.go).
 */
import type { ManagedFieldsEntry } from '../../../api/resource.js';
import { compareBytes } from '../encoding/canonical.js';
import { encodeString } from '../encoding/gostring.js';
import { quoteGo } from '../quote.js';
import { EMPTY_SET, type FieldSet } from './fieldpath/fieldset.js';
import { fieldsV1Of, readFieldsV1 } from './fieldpath/fieldsv1.js';

/** One entry. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  /** `''` for the main resource. */
  readonly subresource: string;
  /** RFC 3339, whole seconds; undefined for an applier that never changed anything. */
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** By {@link identityOf}. */
export type Owners = ReadonlyMap<string, Owner>;

/** Invalid entries. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/** The identity of an entry as JSON, by which errors are also sorted. */
export function identityOf({
  manager,
  operation,
  apiVersion,
  subresource,
}: Omit<Owner, 'time' | 'set'>): string {
  const parts: string[] = [];
  if (manager !== '') parts.push(`"manager":${encodeString(manager)}`);
  parts.push(`"operation":"${operation}"`);
  if (operation === 'Update') parts.push(`"apiVersion":${encodeString(apiVersion)}`);
  if (subresource !== '') parts.push(`"subresource":${encodeString(subresource)}`);
  return `{${parts.join(',')}}`;
}

/** Throws {@link ManagedFieldsError}. The last of several entries with one identity wins. */
export function decodeOwners(entries: readonly ManagedFieldsEntry[] = []): Owners {
  const owners = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    const owner = decodeOwner(entry, index);
    owners.set(identityOf(owner), owner);
  }
  return owners;
}

function decodeOwner(entry: ManagedFieldsEntry, index: number): Owner {
  const { manager = '', operation, apiVersion = '', fieldsType = '', subresource = '', time } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  }
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(
      `invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${index}`,
    );
  }
  return { manager, operation, apiVersion, subresource, time: wholeSeconds(time), set: decodeSet(entry) };
}

function decodeSet({ manager = '', fieldsV1 }: ManagedFieldsEntry): FieldSet {
  try {
    return fieldsV1 === undefined ? EMPTY_SET : readFieldsV1(fieldsV1);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new ManagedFieldsError(`error decoding versioned set of ${quoteGo(manager)}: ${why}`);
  }
}

const WHOLE_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function wholeSeconds(time: string | undefined): string | undefined {
  if (time === undefined || WHOLE_SECONDS.test(time)) return time;
  const milliseconds = Date.parse(time);
  return Number.isNaN(milliseconds) ? undefined : `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Encodes entries, sorted by operation, time, manager, apiVersion and subresource; undefined if there are none. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const sorted = [...owners.values()];
  if (sorted.length > 1) sorted.sort(compareOwners);
  return sorted.map(encodeOwner);
}

function compareOwners(a: Owner, b: Owner): number {
  return (
    compareBytes(a.operation, b.operation) ||
    compareBytes(a.time ?? EPOCH, b.time ?? EPOCH) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/** The sort key of an entry without a time. */
const EPOCH = '1970-01-01T00:00:00Z';

function encodeOwner({ manager, operation, apiVersion, subresource, time, set }: Owner): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {
    operation,
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1Of(set),
  };
  if (manager !== '') entry.manager = manager;
  if (time !== undefined) entry.time = time;
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}
