import { setMember } from './json.js';
import type { JsonValue } from '../../../api/resource.js';

type JsonMap = { [member: string]: JsonValue };

/**
 * A copy of an object of JSON that shares nothing with it; `undefined` members stay. Several times as fast as
 * `structuredClone`, and only for trees of maps, lists and scalars that are no deeper than bodies may be.
 */
export function copyJson<T>(value: T): T {
  // A copy of JSON is of the type of what it is a copy of.
  return copy(value as JsonValue) as T;
}

function copy(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const out: JsonMap = {};
  // `for in` makes no list of the names; what was parsed inherits nothing that it would find.
  for (const name in value) setMember(out, name, copy(value[name] as JsonValue));
  return out;
}
