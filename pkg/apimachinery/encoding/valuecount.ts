/**
 * Limits of the values of a request: each costs far more than its bytes, in every stage of a write. kube-apiserver
 * has no such limits.
 */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { tooManyFields, tooManyManagers, tooManyValues } from '../errors.js';

/** The maximum number of values in a body: members and items, at any depth. */
export const MAX_BODY_VALUES = 49_152;
/**
 * The maximum number of values of an object outside of `metadata.managedFields`, which have one for each field of
 * each manager.
 */
const MAX_OBJECT_VALUES = 10_000;

/** The maximum number of entries in `metadata.managedFields`: each is parsed, compared and sorted. */
const MAX_MANAGERS = 1_000;
/** The maximum number of fields in all entries together. */
const MAX_MANAGED_FIELDS = 20_000;
/**
 * Path elements with JSON (the keys of an item, a value) are parsed: a long one counts as several fields, one for
 * each part of this length.
 */
const FIELD_CHARACTERS = 16;

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
    count += step.startsWith('f:') ? 1 : 1 + Math.floor(step.length / FIELD_CHARACTERS);
    if (below !== undefined) count += fieldsIn(below);
  }
  return count;
}

/** Counts the values of an object outside of `metadata.managedFields`; beyond the limit, any larger number. */
function objectValues(object: JsonMap): number {
  let count = 0;
  // Members of objects are JSON, but declared unknown.
  for (const [name, member] of Object.entries(object as Record<string, JsonValue>)) {
    count += 1 + (name === 'metadata' ? metadataValues(member) : valuesIn(member, MAX_OBJECT_VALUES));
    if (count > MAX_OBJECT_VALUES) return count;
  }
  return count;
}

function metadataValues(metadata: JsonValue): number {
  if (typeof metadata !== 'object' || metadata === null || !('managedFields' in metadata))
    return valuesIn(metadata, MAX_OBJECT_VALUES);
  const { managedFields: _, ...rest } = metadata;
  return valuesIn(rest, MAX_OBJECT_VALUES);
}

/** Counts members and items of a value, at any depth; stops soon after `most`. */
export function valuesIn(value: JsonValue, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    count = value.length;
    for (const item of value) {
      if (count > most) return count;
      if (typeof item === 'object') count += valuesIn(item, most - count);
    }
    return count;
  }
  // `for in` allocates no list of members.
  for (const name in value) {
    if (++count > most) return count;
    const member = value[name];
    if (typeof member === 'object') count += valuesIn(member, most - count);
  }
  return count;
}
