/** Merges a value into another of the same type (`structured-merge-diff/v6/typed`, merge.go). */
import type { JsonValue } from '../../../../api/resource.js';
import { setMember } from '../../encoding/json.js';
import { ItemError, itemElement } from './listitems.js';
import type { ListType, MapType, MergeType } from './mergeschema.js';
import {
  asList,
  asMap,
  isEmptyList,
  isEmptyMap,
  memberOf,
  shapeOf,
  type JsonMap,
  type MaybeValue,
} from './typed.js';

/**
 * Merges `config` over `live`: nothing is removed, leaves of `config` take precedence. The result shares parts with
 * both. Only `live` may have duplicate items; otherwise throws {@link ItemError}.
 */
export function mergeTyped(type: MergeType, live: MaybeValue, config: MaybeValue): MaybeValue {
  if (live === config) return live;
  switch (shapeOf(type, config === undefined ? live : config)) {
    case 'scalar':
      return newer(live, config);
    case 'map':
      return mergeMaps(type.map!, live, config);
    case 'list':
      return mergeLists(type.list!, live, config);
  }
}

const newer = (live: MaybeValue, config: MaybeValue): MaybeValue => (config === undefined ? live : config);

function mergeMaps(type: MapType, live: MaybeValue, config: MaybeValue): MaybeValue {
  const left = asMap(live);
  const right = asMap(config);
  if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return newer(live, config);
  const out: JsonMap = {};
  const put = (name: string, before: MaybeValue, after: MaybeValue): void => {
    const memberType = type.fields.get(name)?.type ?? type.values;
    if (memberType === undefined) return;
    const merged = mergeTyped(memberType, before, after);
    if (merged !== undefined) setMember(out, name, merged);
  };
  for (const name of Object.keys(left ?? {})) put(name, memberOf(left, name), memberOf(right, name));
  for (const name of Object.keys(right ?? {})) {
    if (memberOf(left, name) === undefined) put(name, undefined, memberOf(right, name));
  }
  return isEmptyMap(out) ? undefined : out;
}

interface Indexed {
  readonly elements: readonly string[];
  /** null for items with the same path element. */
  readonly items: ReadonlyMap<string, JsonValue>;
}

function indexItems(type: ListType, list: readonly JsonValue[], duplicatesAllowed: boolean): Indexed {
  const items = new Map<string, JsonValue>();
  const elements = list.map((item) => {
    const element = itemElement(type, item);
    if (items.has(element) && !duplicatesAllowed) throw new ItemError(`duplicate entries for key ${element}`);
    items.set(element, items.has(element) ? null : item);
    return element;
  });
  return { elements, items };
}

/**
 * Shared and new items have the order of `config`; items that only `live` has keep their place relative to the shared
 * ones.
 */
function mergeLists(type: ListType, live: MaybeValue, config: MaybeValue): MaybeValue {
  const leftList = asList(live);
  const rightList = asList(config);
  const empty = isEmptyList(leftList) && isEmptyList(rightList);
  if (type.relation === 'atomic' || empty) return newer(live, config);
  const left = indexItems(type, leftList ?? [], true);
  const right = indexItems(type, rightList ?? [], false);
  const out: JsonValue[] = [];
  const put = (before: MaybeValue, after: MaybeValue): void => {
    const merged = mergeTyped(type.items, before, after);
    if (merged !== undefined) out.push(merged);
  };
  const shared = right.elements.filter((element) => left.items.has(element));
  const merged = new Set<string>();
  let turn = 0; // of the shared items
  let l = 0;
  let r = 0;
  while (l < left.elements.length || r < right.elements.length) {
    const mine = left.elements[l];
    const theirs = right.elements[r];
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        merged.add(mine);
        put(left.items.get(mine), right.items.get(mine));
        l += 1;
        r += 1;
        turn += 1;
        continue;
      }
      if (right.items.has(mine) && turn < shared.length && shared[turn] !== mine) {
        l += 1; // a shared item that follows later
        continue;
      }
    }
    if (mine !== undefined) {
      if (!right.items.has(mine)) {
        put(leftList?.[l], undefined);
        l += 1;
        continue;
      }
      if (merged.has(mine)) l += 1;
    }
    if (theirs !== undefined) {
      merged.add(theirs);
      put(left.items.get(theirs), right.items.get(theirs));
      r += 1;
      if (shared[turn] === theirs) turn += 1;
    }
  }
  return out.length > 0 ? out : undefined;
}
