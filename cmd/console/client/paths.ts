/** Paths of the API. Names come from users: every step is encoded. */
export const MANAGEMENT = '/apis/management.svc.example/v1';

export const pathOf = (resource: string, namespace = '', name = ''): string =>
  MANAGEMENT +
  (namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`) +
  `/${resource}` +
  (name === '' ? '' : `/${encodeURIComponent(name)}`);

/** With a query: `?a=1&b=2`. */
export const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
  `${path}?${new URLSearchParams(query).toString()}`;
