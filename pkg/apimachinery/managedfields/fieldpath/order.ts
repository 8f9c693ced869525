import type { JsonValue } from '../../../../api/resource.js';
import { compareBytes, sortedMembers } from '../../encoding/canonical.js';

/**
 * A total order of JSON values: numbers, strings, booleans, lists, maps, null
 * (`sigs.k8s.io/structured-merge-diff/v6/value`, CompareUsing).
 */
export function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = rankOf(a) - rankOf(b);
  if (rank !== 0) return rank;
  if (typeof a === 'number') return a - (b as number);
  if (typeof a === 'string') return compareBytes(a, b as string);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (a === null) return 0;
  return Array.isArray(a) ? compareLists(a, b as JsonValue[]) : compareMaps(a, b as JsonMap);
}

type JsonMap = { [member: string]: JsonValue };

function rankOf(value: JsonValue): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  switch (typeof value) {
    case 'number':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return 4;
  }
}

function compareLists(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: JsonMap, b: JsonMap): number {
  const left = sortedMembers(a);
  const right = sortedMembers(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const name = left[i]!;
    const other = right[i]!;
    const order = compareBytes(name, other) || compareValues(a[name] as JsonValue, b[other] as JsonValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Equality of JSON values as field sets see it: members unordered, items ordered, `undefined` members absent. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  let members = 0;
  // `for in` makes no lists of names.
  for (const name in left) {
    if (left[name] === undefined) continue;
    members += 1;
    if (!Object.hasOwn(right, name) || !equalValues(left[name], right[name])) return false;
  }
  for (const name in right) if (right[name] !== undefined) members -= 1;
  return members === 0;
}
