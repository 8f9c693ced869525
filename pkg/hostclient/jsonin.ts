import { MAX_DEPTH, isDeeperThan, parseJson } from '../apimachinery/encoding/depth.js';
import { isObject, listOf, membersOf } from '../apimachinery/encoding/members.js';

/**
 * The value of an answer or of an event of a watch; undefined for what is no JSON, or nests too deep. Users of the host
 * may write owners of fields that nest as deep as they like: objects lose them then, as nothing else of them can.
 */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(text, MAX_DEPTH) ? withoutOwners(value) : value;
  } catch {
    return undefined;
  }
}

/** Of an object, an event's object, or the items of a list. Throws where what is left is too deep. */
function withoutOwners(value: unknown): unknown {
  const { items, object } = membersOf(value);
  for (const one of [value, object, ...listOf(items)]) {
    const { metadata } = membersOf(one);
    if (isObject(metadata)) delete metadata.managedFields;
  }
  return parseJson(JSON.stringify(value));
}
