/** RequestInfo, from method and path (`k8s.io/apiserver/pkg/endpoints/request`). */

import { parseQuery } from '../apimachinery/options/query.js';
import { parseFieldSelector } from '../apimachinery/selectors/fields.js';
import { nameFault } from './pathnames.js';

/** A resource request. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  /** `''` if the path has none. */
  readonly namespace: string;
  /** Plural name. */
  readonly resource: string;
  readonly subresource: string;
  /** `''` for a list; for a watch, the name in a deprecated `/watch/…` path. */
  readonly name: string;
  /**
   * The name in `metadata.name=…` of the field selector of a list or watch, else {@link name}: the name that is
   * authorized.
   */
  readonly pinnedName: string;
  readonly path: string;
  readonly query: string;
}

/** A non-resource request: discovery, health, … */
interface PathRequest {
  readonly kind: 'path';
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
  readonly query: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

declare const authorized: unique symbol;

/** An authorized request. Only `authorize` (`filters/authorization.ts`) makes one, and dispatch takes nothing else. */
export type Authorized<Info extends RequestInfo = RequestInfo> = Info & { readonly [authorized]: true };

/** `unknown`: a method that no resource supports. */
type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'unknown';

/** The base path of the specification: everything is also served below it. */
export const BASE_PATH = '/kubernetes/management';

/** More path segments than any resource has. The rest is one segment, as a path of a megabyte would have a million. */
const MAX_SEGMENTS = 64;

/** Splits a request URL; strips {@link BASE_PATH}. */
export function splitUrl(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  let path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  if (path === BASE_PATH) path = '/';
  else if (path.startsWith(`${BASE_PATH}/`)) path = path.slice(BASE_PATH.length);
  return { path, query };
}

/** Any group and any resource, served or not. */
export function requestInfo(method: string, url: string): RequestInfo {
  const { path, query } = splitUrl(url);
  const asPath: PathRequest = { kind: 'path', verb: method.toLowerCase(), path, query };
  const steps = stepsOf(path);
  while (steps.length > 1 && steps[steps.length - 1] === '') steps.pop();
  const start = steps[1] === 'api' ? 3 : steps[1] === 'apis' ? 4 : 0;
  if (start === 0 || steps.length <= start) return asPath;
  const rest = steps.slice(start).map(decodeStep);
  const watching = rest[0] === 'watch' && rest.length > 1;
  const target = targetOf(watching ? rest.slice(1) : rest);
  const verb = watching ? watchVerb(method) : verbOf(method, target.name, query);
  const version = steps[start - 1]!;
  const group = start === 3 ? '' : steps[2]!;
  const pinnedName = target.name === '' ? pinnedBy(verb, query) : target.name;
  const { namespace, resource, subresource, name } = target;
  return {
    kind: 'resource',
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    pinnedName,
    path,
    query,
  };
}

/** The path segments; everything after {@link MAX_SEGMENTS} is one segment, without trailing slashes. */
function stepsOf(path: string): string[] {
  const steps = path.split('/', MAX_SEGMENTS + 1);
  if (steps.length <= MAX_SEGMENTS) return steps;
  let start = 0;
  for (let step = 0; step < MAX_SEGMENTS; step += 1) start = path.indexOf('/', start) + 1;
  let end = path.length;
  while (end > start && path[end - 1] === '/') end -= 1;
  steps[MAX_SEGMENTS] = path.slice(start, end);
  return steps;
}

function decodeStep(step: string): string {
  if (!step.includes('%')) return step;
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

interface Target {
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
}

/** Segments after the version: `[namespaces/{ns}/]{resource}[/{name}[/{subresource}]]`. */
function targetOf(steps: readonly string[]): Target {
  const [first = '', second = '', third = ''] = steps;
  if (first === 'namespaces' && steps.length > 2 && third !== 'status' && third !== 'finalize') {
    return {
      namespace: second,
      resource: third,
      name: steps[3] ?? '',
      subresource: steps.slice(4).join('/'),
    };
  }
  if (first === 'namespaces') {
    return { namespace: second, resource: first, name: second, subresource: steps.slice(2).join('/') };
  }
  return { namespace: '', resource: first, name: second, subresource: steps.slice(2).join('/') };
}

function verbOf(method: string, name: string, query: string): Verb {
  switch (method) {
    case 'GET':
      if (name !== '') return 'get';
      return query.includes('watch') && isWatch(query) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return 'unknown';
  }
}

/** The deprecated `/watch/…` paths, which support only GET. */
const watchVerb = (method: string): Verb => (method === 'GET' ? 'watch' : 'unknown');

function pinnedBy(verb: Verb, query: string): string {
  if ((verb !== 'list' && verb !== 'watch') || !query.includes('fieldSelector')) return '';
  try {
    const selector = parseQuery(query).get('fieldSelector') ?? '';
    const name = parseFieldSelector(selector, () => undefined).exact('metadata.name') ?? '';
    return nameFault(name) === undefined ? name : '';
  } catch {
    return '';
  }
}

/** Absent, `0` and `false` are false; anything else, the empty value too, is true. */
function isWatch(query: string): boolean {
  const value = parseQuery(query).get('watch');
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}
