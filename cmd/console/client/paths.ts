/** Paths of the API. Names come from users, so every path segment is encoded. */
export const MANAGEMENT = '/apis/management.svc.example/v1';

/** Encodes one path segment. Colons are kept: they end no segment, and names of roles contain them. */
const stepOf = (name: string): string => encodeURIComponent(name).replaceAll('%3A', ':');

/**
 * `group`: the path of its group and version, such as {@link MANAGEMENT}. `namespace` and `name` are empty if there is
 * none.
 */
export const pathIn = (group: string, resource: string, namespace = '', name = ''): string =>
  group +
  (namespace === '' ? '' : `/namespaces/${stepOf(namespace)}`) +
  `/${resource}` +
  (name === '' ? '' : `/${stepOf(name)}`);

export const pathOf = (resource: string, namespace?: string, name?: string): string =>
  pathIn(MANAGEMENT, resource, namespace, name);

/** Adds a query, or adds to the query that the path has: `?a=1&b=2`. */
export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
