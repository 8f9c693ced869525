import { MAX_DEPTH, isDeeperThan, parseJson } from '../apimachinery/encoding/depth.js';
import { isObject, listOf, membersOf } from '../apimachinery/encoding/members.js';
import { parseExact } from '../../api/exactjson.js';

/**
 * The JSON of a response or an event of a watch; undefined if it is invalid or nests too deep. Users of the
 * host may write managed fields that nest without limit. These are dropped, as no other field of an object
 * can nest so.
 */
export function jsonIn(text: string): unknown {
  try {
    const value = parseExact(text);
    return isDeeperThan(text, MAX_DEPTH) ? withoutOwners(value) : value;
  } catch {
    return undefined;
  }
}

/**
 * Drops managed fields of an object, an event's object, or the items of a list. Throws if the rest nests too
 * deep.
 */
function withoutOwners(value: unknown): unknown {
  const { items, object } = membersOf(value);
  for (const one of [value, object, ...listOf(items)]) {
    const { metadata } = membersOf(one);
    if (isObject(metadata)) delete metadata.managedFields;
  }
  return parseJson(JSON.stringify(value));
}
