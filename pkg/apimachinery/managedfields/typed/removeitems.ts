/** Removes parts of a value (`structured-merge-diff/v6/typed`, remove.go). */
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
  switch (shapeOf(type, value)) {
    case 'scalar':
      return value;
    case 'map':
      return removeMembers(type.map!, value, items);
    case 'list':
      return removeListItems(type.list!, value, items);
  }
}

function removeListItems(type: ListType, value: JsonValue, items: FieldSet): JsonValue {
  const list = asList(value);
  if (list === undefined || isEmptyList(list) || type.relation === 'atomic') return null;
  const out: JsonValue[] = [];
  for (const item of list) {
    const element = itemElementIfAny(type, item);
    const node = element === undefined ? undefined : items.get(element);
    if (node?.member === true) continue;
    out.push(node?.children === undefined ? item : removeItems(type.items, item, node.children));
  }
  return out.length > 0 ? out : null;
}

function removeMembers(type: MapType, value: JsonValue, items: FieldSet): JsonValue {
  const map = asMap(value);
  if (map === undefined || isEmptyMap(map) || type.atomic) return null;
  const out: JsonMap = {};
  for (const name of Object.keys(map)) {
    const member = map[name];
    const memberType = type.fields.get(name)?.type ?? type.values;
    if (member === undefined || memberType === undefined) continue;
    const node = items.get(memberElement(type, name));
    if (node?.member === true) continue;
    const children = node?.children;
    setMember(out, name, children === undefined ? member : removeItems(memberType, member, children));
  }
  return isEmptyMap(out) ? null : out;
}
