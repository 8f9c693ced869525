/** Lists in strategic merge patches: merging by key or by value, and the order of the result. */
import type { JsonValue } from '../../../api/resource.js';
import { badRequest } from '../errors.js';
import {
  badDirective,
  badElementOrder,
  mixedElements,
  noElements,
  noListOfLists,
  noMergeKey,
  notAList,
  notAMap,
  notAScalar,
  orderMismatch,
} from './strategicmergeerror.js';
import { arrange, keysOf, partition } from './strategicmergeorder.js';
import type { PatchField, PatchType } from './strategicmergetype.js';
import { has, isMap, newItems, typeTag, type JsonMap } from './strategicmergevalue.js';

/** Merges two maps; a parameter, because maps and lists are recursive. */
export type MergeMaps = (original: JsonMap, patch: JsonMap, type: PatchType) => JsonMap;

/** `deletes`: `patch` names scalars to remove. */
export function mergeLists(
  original: JsonValue[],
  patch: JsonValue[],
  field: PatchField,
  deletes: boolean,
  merge: MergeMaps,
): JsonValue[] {
  const items = itemsOf(field);
  if (field.strategy !== 'merge' && !deletes) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  const { mergeKey } = field;
  if (elementTag(original, patch) !== 'object') {
    const named = new Set(patch);
    if (deletes) return original.filter((item) => !named.has(item));
    const merged = [...new Set([...original, ...patch])];
    return arrange(partition(merged, patch, mergeKey), patch, original, mergeKey);
  }
  if (mergeKey === '') throw badRequest(`cannot merge lists without merge key for ${shapeName(items)}`);
  const { base, changes } = obeyDirectives(original.filter(isMap), patch.filter(isMap), mergeKey);
  const merged = mergeItems(base, changes, mergeKey, items, merge);
  return arrange(partition(merged, changes, mergeKey), changes, base, mergeKey);
}

/** The input of `$setElementOrder/name`. */
export interface Ordering {
  readonly order: JsonValue;
  /** The live list and that of the patch, undefined if absent. */
  readonly original: JsonValue | undefined;
  readonly patch: JsonValue | undefined;
  /** Undefined if the directive names no list. */
  readonly name: string | undefined;
  readonly field: () => PatchField;
  readonly merge: MergeMaps;
}

/** The merged list in the order of the directive; undefined if there is no list. */
export function orderElements({
  order,
  original,
  patch,
  name,
  field,
  merge,
}: Ordering): JsonValue[] | undefined {
  if (!Array.isArray(order)) throw notAList(order);
  if (name === undefined) throw badElementOrder();
  const live = listOf(original);
  const change = listOf(patch);
  const rule = field();
  itemsOf(rule);
  checkOrder(change ?? [], order, rule.mergeKey);
  if (live === undefined && change === undefined) return undefined;
  const merged = mergedList(live, change, rule, merge);
  // Kubernetes crashes over these.
  const misfit = rule.mergeKey === '' ? order.find((item) => isMap(item) || Array.isArray(item)) : undefined;
  if (misfit !== undefined) throw notAScalar(misfit);
  const { named, others } = partition(merged, order, rule.mergeKey);
  elementTag(live ?? [], change ?? []);
  return arrange({ named, others }, order, live ?? [], rule.mergeKey);
}

function listOf(value: JsonValue | undefined): JsonValue[] | undefined {
  if (value !== undefined && !Array.isArray(value)) throw notAList(value);
  return value;
}

function mergedList(
  live: JsonValue[] | undefined,
  change: JsonValue[] | undefined,
  rule: PatchField,
  merge: MergeMaps,
): JsonValue[] {
  if (change === undefined) return live ?? [];
  if (live === undefined) return newItems(change, false);
  return mergeLists(live, change, rule, false, merge);
}

/** The directive must have all items of the patch in the same order, except those to delete. */
function checkOrder(patch: JsonValue[], order: JsonValue[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const kept = mergeKey === '' ? patch : patch.filter((item) => !deletesItem(item));
  let at = 0;
  let place = 0;
  while (at < kept.length && place < order.length) {
    const item = kept[at] ?? null;
    if (isMap(item) && has(item, '$patch')) {
      at++;
      continue;
    }
    const [key, wanted] = keysOf([item, order[place] ?? null], mergeKey);
    if (key === wanted) at++;
    place++;
  }
  if (at < kept.length && place >= order.length) throw orderMismatch(patch, order);
}

function deletesItem(item: JsonValue): boolean {
  if (!isMap(item)) throw notAMap(item);
  return has(item, '$patch') && item['$patch'] === 'delete';
}

/** `$patch` in items: `delete` removes items with the same key, `replace` discards the live list. */
function obeyDirectives(
  original: readonly JsonMap[],
  patch: readonly JsonMap[],
  mergeKey: string,
): { base: JsonMap[]; changes: JsonMap[] } {
  const changes: JsonMap[] = [];
  const gone = new Set<JsonValue>();
  let replaces = false;
  for (const item of patch) {
    if (!has(item, '$patch')) changes.push(item);
    else if (item['$patch'] === 'replace') replaces = true;
    else if (item['$patch'] === 'merge')
      throw badRequest('merging lists cannot yet be specified in the patch');
    else if (item['$patch'] !== 'delete') throw badDirective(item['$patch'] ?? null, item);
    else if (has(item, mergeKey)) gone.add(item[mergeKey] ?? null);
    else throw noMergeKey(item, mergeKey);
  }
  if (replaces) return { base: changes, changes: [] };
  const stays = (item: JsonMap): boolean => !has(item, mergeKey) || !gone.has(item[mergeKey] ?? null);
  return { base: original.filter(stays), changes };
}

function mergeItems(
  base: readonly JsonMap[],
  changes: readonly JsonMap[],
  mergeKey: string,
  type: PatchType,
  merge: MergeMaps,
): JsonMap[] {
  const merged = [...base];
  const places = new Map<JsonValue, number>();
  merged.forEach((item, place) => {
    if (has(item, mergeKey) && !places.has(item[mergeKey] ?? null)) places.set(item[mergeKey] ?? null, place);
  });
  for (const change of changes) {
    if (!has(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const key = change[mergeKey] ?? null;
    const place = places.get(key);
    if (place !== undefined) {
      merged[place] = merge(merged[place]!, change, type);
    } else {
      places.set(key, merged.length);
      merged.push(change);
    }
  }
  return merged;
}

/** The common type of all elements. */
function elementTag(original: JsonValue[], patch: JsonValue[]): string {
  const [first, ...others] = new Set([...original, ...patch].map(typeTag));
  if (first === undefined) throw noElements();
  if (first === 'list') throw noListOfLists();
  if (first === 'null' || others.length > 0) throw mixedElements(original, patch);
  return first;
}

function itemsOf({ type }: PatchField): PatchType {
  if (type.shape !== 'list') throw badRequest('expected slice or array type, but got: struct');
  if (type.items.shape === 'list') throw badRequest('unexpected slice of slice');
  return type.items;
}

const shapeName = ({ shape }: PatchType): string => (shape === 'scalar' ? 'string' : shape);
