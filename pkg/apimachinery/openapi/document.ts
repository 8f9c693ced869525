/** What documents of both versions begin and end with. */

/** `info` of every document. */
export const DOCUMENT_INFO = { title: 'Management API', version: 'v1' } as const;

/** An object whose members are in order of their names, so that equal input gives equal text. */
export function sortedObject<T>(entries: Iterable<[string, T]>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** How callers say who they are, as Kubernetes describes it. */
export function tokenScheme(): Record<string, unknown> {
  return {
    type: 'apiKey',
    description: 'Bearer Token authentication',
    name: 'authorization',
    in: 'header',
  };
}
