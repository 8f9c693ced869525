import { parseExact } from '../../../api/exactjson.js';

/**
 * Parses JSON that this program wrote: a record of the store, bytes of a cache, a file of its own. `T` is not checked.
 * Read JSON of others as a `JsonValue`, and then by a schema, or member by member (`members.ts`). Long integers are
 * `bigint`. Throws SyntaxError.
 */
export function parseStored<T>(text: Buffer | string): T {
  // The only unchecked conversion of text to a type.
  return parseExact(typeof text === 'string' ? text : text.toString('utf8')) as T;
}
