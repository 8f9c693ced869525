/** Compares two values of a type (`structured-merge-diff/v6/typed`, compare.go). */
import type { JsonValue } from '../../../../api/resource.js';
import { FieldSetBuilder, recursiveDifference, type FieldSet } from '../fieldpath/fieldset.js';
import { itemElement } from './listitems.js';
import type { ListType, MapType, MergeType } from './mergeschema.js';
import { equalValues } from '../fieldpath/order.js';
import {
  asList,
  asMap,
  isEmptyList,
  isEmptyMap,
  memberOf,
  shapeOf,
  type MaybeValue,
  type Shape,
} from './typed.js';

/** Each path is in at most one of the sets; equal values have empty sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Both values must have passed `validateValue`; duplicate list items are allowed. */
export function compareTyped(type: MergeType, before: JsonValue, after: JsonValue): Comparison {
  const comparer = new Comparer();
  comparer.compare(type, before, after);
  return { added: comparer.added.set, modified: comparer.modified.set, removed: comparer.removed.set };
}

/** Removes everything at or below `fields`. */
export function withoutFields(comparison: Comparison, fields: FieldSet): Comparison {
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

class Comparer {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  private readonly path: string[] = [];

  compare(type: MergeType, before: MaybeValue, after: MaybeValue): void {
    if (before === after) return;
    const left = shapeOf(type, before);
    const right = shapeOf(type, after);
    let leaf: boolean;
    if (after === undefined || before === undefined || left === right) {
      leaf = this.as(after === undefined ? left : right, type, before, after);
    } else {
      this.as(left, type, before, after);
      leaf = this.as(right, type, before, after);
    }
    if (leaf) return;
    if (before === undefined) this.added.insert(this.path);
    else if (after === undefined) this.removed.insert(this.path);
  }

  /** Whether the values were compared as a whole. */
  private as(shape: Shape, type: MergeType, before: MaybeValue, after: MaybeValue): boolean {
    if (shape === 'map') return this.maps(type.map!, before, after);
    if (shape === 'list') return this.lists(type.list!, before, after);
    return this.leaf(before, after);
  }

  private leaf(before: MaybeValue, after: MaybeValue): boolean {
    if (before === undefined) this.added.insert(this.path);
    else if (after === undefined) this.removed.insert(this.path);
    else if (!equalValues(before, after)) this.modified.insert(this.path);
    return true;
  }

  private maps(type: MapType, before: MaybeValue, after: MaybeValue): boolean {
    const left = asMap(before);
    const right = asMap(after);
    if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return this.leaf(before, after);
    if (left !== undefined) {
      for (const name in left) this.member(type, name, left[name], memberOf(right, name));
    }
    if (right !== undefined) {
      for (const name in right) {
        if (memberOf(left, name) === undefined) this.member(type, name, undefined, right[name]);
      }
    }
    return false;
  }

  private member(type: MapType, name: string, before: MaybeValue, after: MaybeValue): void {
    if (before === after) return;
    const field = type.fields.get(name);
    const memberType = field?.type ?? type.values;
    if (memberType === undefined) return;
    this.step(field?.element ?? `f:${name}`, memberType, before, after);
  }

  private step(element: string, type: MergeType, before: MaybeValue, after: MaybeValue): void {
    this.path.push(element);
    this.compare(type, before, after);
    this.path.pop();
  }

  private lists(type: ListType, before: MaybeValue, after: MaybeValue): boolean {
    const left = asList(before);
    const right = asList(after);
    const atomic = type.relation === 'atomic';
    if (atomic || (isEmptyList(left) && isEmptyList(right))) return this.leaf(before, after);
    const leftItems = itemsByElement(type, left);
    const rightItems = itemsByElement(type, right);
    for (const [element, items] of leftItems) this.items(type, element, items, rightItems.get(element) ?? []);
    for (const [element, items] of rightItems) {
      if (!leftItems.has(element)) this.items(type, element, [], items);
    }
    return false;
  }

  /** Items with the same path element are one unit. */
  private items(type: ListType, element: string, left: JsonValue[], right: JsonValue[]): void {
    if (left.length <= 1 && right.length <= 1) {
      this.step(element, type.items, left[0], right[0]);
    } else if (left.length >= 2 && right.length >= 2) {
      if (!equalValues(left, right)) this.mark(this.modified, element);
    } else if (left.length >= 2) {
      if (right.length > 0) this.step(element, type.items, undefined, right[0]);
      this.mark(this.removed, element);
    } else {
      if (left.length > 0) this.step(element, type.items, left[0], undefined);
      this.mark(this.added, element);
    }
  }

  private mark(set: FieldSetBuilder, element: string): void {
    this.path.push(element);
    set.insert(this.path);
    this.path.pop();
  }
}

function itemsByElement(type: ListType, list: readonly JsonValue[] | undefined): Map<string, JsonValue[]> {
  const items = new Map<string, JsonValue[]>();
  for (const item of list ?? []) {
    const element = itemElement(type, item);
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}
