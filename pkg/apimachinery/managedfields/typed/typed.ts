/** Selects the handling of a value by its type (`structured-merge-diff/v6/typed`, helpers.go). */
import type { JsonValue } from '../../../../api/resource.js';
import type { MapType, MergeType } from './mergeschema.js';

export type JsonMap = { [member: string]: JsonValue };
/** A value or undefined, if it is absent; null is a value. */
export type MaybeValue = JsonValue | undefined;

/** The shape of a value. */
export type Shape = 'map' | 'scalar' | 'list';

/** The shape of a value if its type allows it; otherwise (and for null) the first shape of the type. */
export function shapeOf(type: MergeType, value: MaybeValue): Shape {
  if (value !== undefined && value !== null) {
    if (typeof value !== 'object') {
      if (type.scalar !== undefined) return 'scalar';
    } else if (Array.isArray(value)) {
      if (type.list !== undefined) return 'list';
    } else if (type.map !== undefined) {
      return 'map';
    }
  }
  if (type.map !== undefined) return 'map';
  return type.scalar !== undefined ? 'scalar' : 'list';
}

export function asMap(value: MaybeValue): JsonMap | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

export function asList(value: MaybeValue): JsonValue[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Also for an absent map. */
export function isEmptyMap(map: JsonMap | undefined): boolean {
  if (map !== undefined) for (const name in map) if (Object.hasOwn(map, name)) return false;
  return true;
}

export const isEmptyList = (list: readonly JsonValue[] | undefined): boolean =>
  list === undefined || list.length === 0;

/** A map's own member; undefined if absent. */
export function memberOf(map: JsonMap | undefined, name: string): MaybeValue {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The path element of a member. */
export function memberElement(type: MapType, name: string): string {
  return type.fields.get(name)?.element ?? `f:${name}`;
}
