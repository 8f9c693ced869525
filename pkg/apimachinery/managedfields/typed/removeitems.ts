/** Removes or extracts parts of a value (`structured-merge-diff/v6/typed`, remove.go). */
import type { JsonValue } from '../../../../api/resource.js';
import { setMember } from '../../encoding/json.js';
import type { FieldSet } from '../fieldpath/fieldset.js';
import { itemElementIfAny } from './listitems.js';
import type { ListType, MapType, MergeType } from './mergeschema.js';
import { asList, asMap, isEmptyList, isEmptyMap, memberElement, shapeOf, type JsonMap } from './typed.js';

/**
 * Removes the members and items of `items`; parts of atomic values stay. An emptied container becomes null. The
 * result shares parts with `value`.
 */
export function removeItems(type: MergeType, value: JsonValue, items: FieldSet): JsonValue {
  return select(type, value, items, false);
}

/** Extracts the members and items of `items`, with their parents. */
export function extractItems(type: MergeType, value: JsonValue, items: FieldSet): JsonValue {
  return select(type, value, items, true);
}

function select(type: MergeType, value: JsonValue, items: FieldSet, extract: boolean): JsonValue {
  switch (shapeOf(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return selectMembers(type.map!, value, items, extract);
    case 'list':
      return selectItems(type.list!, value, items, extract);
  }
}

function selectItems(type: ListType, value: JsonValue, items: FieldSet, extract: boolean): JsonValue {
  const list = asList(value);
  if (list === undefined) return null;
  if (isEmptyList(list) || type.relation === 'atomic') return extract ? value : null;
  const out: JsonValue[] = [];
  for (const item of list) {
    const element = itemElementIfAny(type, item);
    const node = element === undefined ? undefined : items.get(element);
    const exact = node?.member === true;
    const below = node?.children;
    if (extract ? !exact && below === undefined : exact) continue;
    out.push(below === undefined ? item : select(type.items, item, below, extract));
  }
  return out.length > 0 ? out : null;
}

function selectMembers(type: MapType, value: JsonValue, items: FieldSet, extract: boolean): JsonValue {
  const map = asMap(value);
  if (map === undefined) return null;
  if (isEmptyMap(map) || type.atomic) return extract ? value : null;
  const out: JsonMap = {};
  for (const name of Object.keys(map)) {
    const member = map[name];
    const memberType = type.fields.get(name)?.type ?? type.values;
    if (member === undefined || memberType === undefined) continue;
    const node = items.get(memberElement(type, name));
    if (node?.member === true) {
      // The library looks below an extracted member for the paths of its parent.
      if (extract) setMember(out, name, select(memberType, member, items, true));
    } else if (node?.children !== undefined) {
      setMember(out, name, select(memberType, member, node.children, extract));
    } else if (!extract) {
      setMember(out, name, member);
    }
  }
  return isEmptyMap(out) ? null : out;
}
