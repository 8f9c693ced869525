import type { JsonValue } from '../../../api/resource.js';
import { setMember } from '../encoding/json.js';

export type JsonMap = { [member: string]: JsonValue };

export const isMap = (value: JsonValue | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const has = (map: JsonMap, name: string): boolean => Object.hasOwn(map, name);

/** Values of different tags replace each other. */
export function typeTag(value: JsonValue): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** The same of a list. */
export const newItems = (items: readonly JsonValue[], dropNulls: boolean): JsonValue[] =>
  items.map((item) => newValue(item, dropNulls)).filter((item) => item !== undefined);

/**
 * Prepares a value of a patch without a live value: maps with a `$patch` directive are removed, in lists too.
 * Undefined if `value` is such a map. `dropNulls`: whether null members are removed as well; bare nulls in lists
 * stay.
 */
export function newValue(value: JsonValue, dropNulls: boolean): JsonValue | undefined {
  if (Array.isArray(value)) return newItems(value, dropNulls);
  if (!isMap(value)) return value;
  if (has(value, '$patch') && !(dropNulls && value['$patch'] === null)) return undefined;
  const kept: JsonMap = {};
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    const fresh = dropNulls && member === null ? undefined : newValue(member, dropNulls);
    if (fresh !== undefined) setMember(kept, name, fresh);
  }
  return kept;
}
