import type { JsonValue } from '../../../../api/resource.js';
import { isObject } from '../../encoding/members.js';
import { compareBytes, sortedMembers } from '../../encoding/canonical.js';
import { isNumber, isSameNumber } from '../../../../api/exactjson.js';

/**
 * A total order of JSON values: numbers, strings, booleans, lists, maps, null
 * (`sigs.k8s.io/structured-merge-diff/v6/value`, CompareUsing).
 */
export function compareValues(a: JsonValue, b: JsonValue): number {
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : Number(a > b);
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b);
  if (isMap(a) && isMap(b)) return compareMaps(a, b);
  return rankOf(a) - rankOf(b);
}

type JsonMap = { [member: string]: JsonValue };

const isMap = (value: JsonValue): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function rankOf(value: JsonValue): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  switch (typeof value) {
    case 'number':
    case 'bigint':
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
    const order = compareValues(a[i] ?? null, b[i] ?? null);
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
    const order = compareBytes(name, other) || compareValues(a[name] ?? null, b[other] ?? null);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Compares JSON values like field sets: members unordered, items ordered, `undefined` members absent. */
export function equalValues(a: unknown, b: unknown): boolean {
  if (a === b || isSameNumber(a, b)) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  let members = 0;
  // `for in` allocates no list of names.
  for (const name in a) {
    if (a[name] === undefined) continue;
    members += 1;
    if (!Object.hasOwn(b, name) || !equalValues(a[name], b[name])) return false;
  }
  for (const name in b) if (b[name] !== undefined) members -= 1;
  return members === 0;
}
