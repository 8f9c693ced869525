/** Common parts of documents of both versions. */

/** `info` of every document. */
export const DOCUMENT_INFO = { title: 'Management API', version: 'v1' } as const;

/** Sorts the members of an object, so that equal input gives equal text. */
export function sortedObject<T>(entries: Iterable<[string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** The security scheme, as in Kubernetes. */
export function tokenScheme(): Record<string, unknown> {
  return {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  };
}
