import { setMember } from './json.js';
import type { JsonValue } from '../../../api/resource.js';

type JsonMap = { [member: string]: JsonValue };

/**
 * Returns a deep copy of a JSON value; `undefined` members stay. Several times as fast as `structuredClone`, and only
 * for trees of maps, lists and scalars within the maximum depth of bodies.
 */
export function copyJson<T>(value: T): T {
  // The copy has the type of the original.
  return copy(value as JsonValue) as T;
}

function copy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out: JsonMap = {};
  // `for in` allocates no list of names, and parsed JSON inherits no enumerable members.
  for (const name in value) setMember(out, name, copy(value[name] as JsonValue));
  return out;
}
