/**
 * Parses JSON that this program wrote: a record of the store, bytes of a cache, a file of its own. `T` is not checked.
 * Read JSON of others as a `JsonValue`, and then by a schema, or member by member (`members.ts`). Throws SyntaxError.
 */
export function parseStored<T>(text: Buffer | string): T {
  // The only unchecked conversion of text to a type.
  return JSON.parse(typeof text === 'string' ? text : text.toString('utf8')) as T;
}
