/**
 * Parses JSON that this program wrote: a record of the store, bytes of a cache, a file of its own. `T` is what it wrote, which
 * nothing checks. What others wrote is read by `decodeJson` and a schema, or member by member (`members.ts`). Throws
 * SyntaxError.
 */
export function parseStored<T>(text: Buffer | string): T {
  // The one place where a text becomes a type unseen.
  return JSON.parse(typeof text === 'string' ? text : text.toString('utf8')) as T;
}
