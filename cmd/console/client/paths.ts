/** Paths of the API. Names come from users: every step is encoded. */
export const MANAGEMENT = '/apis/management.svc.example/v1';

/** A colon ends no step, and names of roles have some. */
const stepOf = (name: string): string => encodeURIComponent(name).replaceAll('%3A', ':');

/** `group`: with its version, as {@link MANAGEMENT}. `namespace` and `name` are empty where there is none. */
export const pathIn = (group: string, resource: string, namespace = '', name = ''): string =>
  group +
  (namespace === '' ? '' : `/namespaces/${stepOf(namespace)}`) +
  `/${resource}` +
  (name === '' ? '' : `/${stepOf(name)}`);

export const pathOf = (resource: string, namespace?: string, name?: string): string =>
  pathIn(MANAGEMENT, resource, namespace, name);

/** With a query, or with more of one: `?a=1&b=2`. */
export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
