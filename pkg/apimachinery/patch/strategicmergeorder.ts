import type { JsonValue } from '../../../api/resource.js';
import { badRequest } from '../errors.js';
import { noMergeKey, notAMap } from './strategicmergeerror.js';
import { has, isMap } from './strategicmergevalue.js';

/**
 * A merged list in two parts: items that the patch (or its order directive) names, and items that only the live
 * object has.
 */
export interface Parts {
  readonly named: readonly JsonValue[];
  readonly others: readonly JsonValue[];
}

/** The identities of items: the value of the merge key or, without one, the item itself. */
export function keysOf(items: readonly JsonValue[], mergeKey: string): JsonValue[] {
  return items.map((item) => (mergeKey === '' ? item : keyOf(item, mergeKey)));
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  if (!isMap(item)) throw notAMap(item);
  if (!has(item, mergeKey)) throw noMergeKey(item, mergeKey);
  const key = item[mergeKey] ?? null;
  if (typeof key === 'object' && key !== null) throw badRequest(`merge key ${mergeKey} must be a scalar`);
  return key;
}

export function partition(merged: readonly JsonValue[], by: readonly JsonValue[], mergeKey: string): Parts {
  const names = new Set(keysOf(by, mergeKey));
  const named: JsonValue[] = [];
  const others: JsonValue[] = [];
  keysOf(merged, mergeKey).forEach((key, index) => {
    (names.has(key) ? named : others).push(merged[index] ?? null);
  });
  return { named, others };
}

/**
 * Joins both parts: `named` items in the order of `order`, the others in their live order, each before the first
 * named item that follows it there. So new items come first.
 */
export function arrange(
  { named, others }: Parts,
  order: readonly JsonValue[],
  live: readonly JsonValue[],
  mergeKey: string,
): JsonValue[] {
  const places = placesOf(live, mergeKey);
  const left = sortBy(others, places, mergeKey);
  const right = sortBy(named, placesOf(order, mergeKey), mergeKey);
  const placeOf = (item: JsonValue): number | undefined => places.get(keyOfItem(item, mergeKey));
  const arranged: JsonValue[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const l = placeOf(left[i] ?? null);
    const r = placeOf(right[j] ?? null);
    arranged.push((l !== undefined && r !== undefined && l < r ? left[i++] : right[j++]) ?? null);
  }
  return [...arranged, ...left.slice(i), ...right.slice(j)];
}

const keyOfItem = (item: JsonValue, mergeKey: string): JsonValue =>
  mergeKey === '' || !isMap(item) ? item : (item[mergeKey] ?? null);

function placesOf(order: readonly JsonValue[], mergeKey: string): Map<JsonValue, number> {
  const places = new Map<JsonValue, number>();
  keysOf(order, mergeKey).forEach((key, place) => {
    if (!places.has(key)) places.set(key, place);
  });
  return places;
}

/** Items to delete go last; those without a place first, the last of them foremost. */
function sortBy(items: readonly JsonValue[], places: Map<JsonValue, number>, mergeKey: string): JsonValue[] {
  const deleted = (item: JsonValue): boolean =>
    isMap(item) && has(item, '$patch') && item['$patch'] === 'delete';
  const kept = items.filter((item) => !deleted(item));
  const placed = kept.filter((item) => places.has(keyOfItem(item, mergeKey)));
  const lost = kept.filter((item) => !places.has(keyOfItem(item, mergeKey)));
  const placeOf = (item: JsonValue): number => places.get(keyOfItem(item, mergeKey))!;
  placed.sort((a, b) => placeOf(a) - placeOf(b));
  return [...lost.reverse(), ...placed, ...items.filter(deleted)];
}
