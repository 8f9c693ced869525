/** The set of all fields of a value (`structured-merge-diff/v6/typed`, tofieldset.go). */
import type { JsonValue } from '../../../../api/resource.js';
import { FieldSetBuilder, type FieldSet } from '../fieldpath/fieldset.js';
import { itemElementIfAny } from './listitems.js';
import type { ListType, MapType, MergeType } from './mergeschema.js';
import { asList, asMap, isEmptyMap, memberElement, shapeOf } from './typed.js';

/**
 * Leaves, list items, members of free-form maps, and empty or null maps. Items with the same path element are one
 * member. `value` must have passed `validateValue`; duplicates are allowed, and items without a path element (pruned
 * ones) are skipped.
 */
export function toFieldSet(type: MergeType, value: JsonValue): FieldSet {
  const builder = new FieldSetBuilder();
  visit(type, value, [], builder);
  return builder.set;
}

function visit(type: MergeType, value: JsonValue, path: string[], builder: FieldSetBuilder): void {
  switch (shapeOf(type, value)) {
    case 'scalar':
      builder.insert(path);
      return;
    case 'map':
      visitMap(type.map!, value, path, builder);
      return;
    case 'list':
      visitList(type.list!, value, path, builder);
  }
}

function visitMap(type: MapType, value: JsonValue, path: string[], builder: FieldSetBuilder): void {
  if (type.atomic) {
    builder.insert(path);
    return;
  }
  const map = asMap(value);
  if (map === undefined) return;
  for (const name of Object.keys(map)) {
    const member = map[name];
    const field = type.fields.get(name);
    const memberType = field?.type ?? type.values;
    if (member === undefined || memberType === undefined) continue;
    path.push(field?.element ?? memberElement(type, name));
    visit(memberType, member, path, builder);
    const inner = asMap(member);
    if (field === undefined || member === null || (inner !== undefined && isEmptyMap(inner)))
      builder.insert(path);
    path.pop();
  }
}

function visitList(type: ListType, value: JsonValue, path: string[], builder: FieldSetBuilder): void {
  if (type.relation === 'atomic') {
    builder.insert(path);
    return;
  }
  const list = asList(value);
  if (list === undefined) return;
  const elements = list.map((item) => itemElementIfAny(type, item));
  const duplicated = duplicates(elements);
  for (const [index, item] of list.entries()) {
    const element = elements[index];
    if (element === undefined) continue;
    path.push(element);
    if (!duplicated.has(element)) visit(type.items, item, path, builder);
    builder.insert(path);
    path.pop();
  }
}

function duplicates(elements: readonly (string | undefined)[]): ReadonlySet<string | undefined> {
  const seen = new Set(elements);
  if (seen.size === elements.length) return NONE;
  const twice = new Set<string | undefined>();
  seen.clear();
  for (const element of elements) {
    if (seen.has(element)) twice.add(element);
    seen.add(element);
  }
  return twice;
}

const NONE: ReadonlySet<string | undefined> = new Set();
