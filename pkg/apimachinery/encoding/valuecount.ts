/**
 * Limits of the values of a request: each costs far more than its bytes, in every stage of a write. kube-apiserver
 * has no such limits; texts in maps, such as the data of a ConfigMap, have none here that the size of an object does
 * not set before.
 */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { tooManyFields, tooManyManagers, tooManyValues } from '../errors.js';

/**
 * The maximum number of values in a body: members and items, at any depth. More than an object of 1.4 MiB has as texts
 * in maps and as fields of their managers, each of nine bytes and more.
 */
export const MAX_BODY_VALUES = 196_608;
/** The maximum number of values of an object, but for texts in maps outside of metadata, and `metadata.managedFields`. */
const MAX_OBJECT_VALUES = 10_000;

/** The maximum number of entries in `metadata.managedFields`: each is parsed, compared and sorted. */
const MAX_MANAGERS = 1_000;
/** The maximum number of fields in all entries together: more than an object of 1.4 MiB has. */
const MAX_MANAGED_FIELDS = 131_072;
/** Path elements with JSON (the keys of an item, a value) are parsed: each part of this length counts as so many fields. */
const PARSED_CHARACTERS = 16;
const PARSED_FIELDS = 6;

type JsonMap = { readonly [member: string]: JsonValue } | KubeObject;

/** Throws StatusError 413. */
export function checkBodyValues(value: JsonValue): void {
  if (valuesIn(value, MAX_BODY_VALUES) > MAX_BODY_VALUES) throw tooManyValues(MAX_BODY_VALUES);
}

/** Checks an object, or a patch of the same form. Throws StatusError 413. */
export function checkObjectValues(object: JsonMap): void {
  if (objectValues(object) > MAX_OBJECT_VALUES) throw tooManyValues(MAX_OBJECT_VALUES);
  if (managersOf(object).length > MAX_MANAGERS) throw tooManyManagers(MAX_MANAGERS);
  if (managedFieldsIn(object) > MAX_MANAGED_FIELDS) throw tooManyFields(MAX_MANAGED_FIELDS);
}

/** Checks an update; an object that exceeds the limit already may keep its size. Throws StatusError 413. */
export function checkGrowth(next: JsonMap, previous: JsonMap): void {
  const managers = managersOf(next).length;
  if (managers > MAX_MANAGERS && managers > managersOf(previous).length) throw tooManyManagers(MAX_MANAGERS);
  const fields = managedFieldsIn(next);
  if (fields > MAX_MANAGED_FIELDS && fields > managedFieldsIn(previous))
    throw tooManyFields(MAX_MANAGED_FIELDS);
  if (objectValues(next) <= MAX_OBJECT_VALUES || objectValues(previous) > MAX_OBJECT_VALUES) return;
  throw tooManyValues(MAX_OBJECT_VALUES);
}

function managersOf({ metadata }: { readonly metadata?: unknown }): readonly JsonValue[] {
  if (typeof metadata !== 'object' || metadata === null || !('managedFields' in metadata)) return [];
  return Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
}

/** Counts fields; beyond the limit, any larger number. */
function managedFieldsIn(object: JsonMap): number {
  let count = 0;
  for (const entry of managersOf(object)) {
    if (count > MAX_MANAGED_FIELDS) return count;
    if (typeof entry !== 'object' || entry === null || !('fieldsV1' in entry)) continue;
    count += fieldsIn(entry['fieldsV1'] ?? null);
  }
  return count;
}

function fieldsIn(set: JsonValue): number {
  if (typeof set !== 'object' || set === null) return 0;
  let count = 0;
  for (const step in set) {
    // Lists are read by index.
    const below = (set as { [step: string]: JsonValue })[step];
    count += step.startsWith('f:') ? 1 : PARSED_FIELDS * (1 + Math.floor(step.length / PARSED_CHARACTERS));
    if (below !== undefined) count += fieldsIn(below);
  }
  return count;
}

/** Counts what {@link MAX_OBJECT_VALUES} limits; beyond the limit, any larger number. */
function objectValues(object: JsonMap): number {
  let count = 0;
  // Members of objects are JSON, but declared unknown.
  for (const [name, member] of Object.entries(object as Record<string, JsonValue>)) {
    if (count > MAX_OBJECT_VALUES) return count;
    if (name === 'metadata') count += metadataValues(member);
    else if (typeof member !== 'string') count += 1 + valuesBesideTexts(member, MAX_OBJECT_VALUES);
  }
  return count;
}

function metadataValues(metadata: JsonValue): number {
  if (typeof metadata !== 'object' || metadata === null || !('managedFields' in metadata))
    return valuesIn(metadata, MAX_OBJECT_VALUES);
  const { managedFields: _, ...rest } = metadata;
  return valuesIn(rest, MAX_OBJECT_VALUES);
}

const any = (): boolean => true;
const isNoText = (member: JsonValue | undefined): boolean => typeof member !== 'string';

/** Counts members and items of a value, at any depth; stops soon after `most`. */
export const valuesIn = (value: JsonValue, most: number): number => countedIn(value, most, any);

const valuesBesideTexts = (value: JsonValue, most: number): number => countedIn(value, most, isNoText);

function countedIn(
  value: JsonValue,
  most: number,
  counts: (member: JsonValue | undefined) => boolean,
): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    count = value.length;
    for (const item of value) {
      if (count > most) return count;
      if (typeof item === 'object') count += countedIn(item, most - count, counts);
    }
    return count;
  }
  // `for in` allocates no list of members.
  for (const name in value) {
    const member = value[name];
    if (counts(member) && ++count > most) return count;
    if (typeof member === 'object') count += countedIn(member, most - count, counts);
  }
  return count;
}
