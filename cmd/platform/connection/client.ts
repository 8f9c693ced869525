/** The kinds of the management group over HTTP, for one command. */
import type { JsonValue, KubeObject } from '../../../api/resource.js';
import { Failure, usage } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { type Trace, askJson } from './request.js';
import { type Terminal, withProgress } from '../output/terminal.js';
import type { SentEvent } from '../../../api/client/watch.js';
import { watchLines } from './watch.js';

const GROUP_PATH = '/apis/management.svc.example/v1';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** A collection, or an object of it. */
export interface Place {
  /** Plural name. */
  readonly resource: string;
  /** Absent: cluster-scoped, or all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** Without `?`. */
  readonly query?: string;
}

/** A `meta.k8s.io/v1 Table`, as far as it is printed. */
export interface Table {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: KubeObject }[];
}

/** Rejects with Failures, whose reasons are those of the server's answers. */
export interface Client {
  readonly connection: Connection;
  get<T = KubeObject>(place: Place): Promise<T>;
  table(place: Place): Promise<Table>;
  /** As {@link watchLines}; `form`: what its objects are. The query of the place says since when. */
  watch(place: Place, form: 'objects' | 'tables', opened: () => void): AsyncIterable<SentEvent>;
  create<T = KubeObject>(place: Place, object: object): Promise<T>;
  /** What a create would answer now. Nothing is written, and no warning is told. */
  preview<T = KubeObject>(place: Place, object: object): Promise<T>;
  replace(place: Place, object: object): Promise<KubeObject>;
  /** By JSON merge patch. */
  merge<T = KubeObject>(place: Place, patch: JsonValue): Promise<T>;
  /** `uid`: of the only object that is deleted, whatever has the name by now; a conflict otherwise. */
  remove(place: Place, uid?: string): Promise<KubeObject>;
  /** Any path below the server's URL. */
  read(path: string): Promise<unknown>;
  post(path: string, body: object): Promise<unknown>;
  put(path: string, body: object): Promise<unknown>;
  /** As `remove`. */
  erase(path: string, uid?: string): Promise<unknown>;
  /** The same, which tells people that this is under way when an answer takes long. */
  during(what: string): Client;
}

/** The terminal gets the warnings of the server, and a word when an answer takes long. */
export function openClient(connection: Connection, terminal: Terminal, trace: Trace): Client {
  return clientFor(connection, terminal, trace, `Waiting for ${connection.server.origin}`);
}

function clientFor(connection: Connection, terminal: Terminal, trace: Trace, what: string): Client {
  const ask = <T>(
    request: Parameters<typeof askJson>[1],
    warn = (line: string) => terminal.tell(line),
  ): Promise<T> => {
    // `T` is what the API declares for the path; it is not checked.
    const answer = askJson(connection, request, trace, warn) as Promise<T>;
    return withProgress(terminal, what, answer);
  };
  const patchType = 'application/merge-patch+json';
  return {
    connection,
    get: (place) => ask({ method: 'GET', path: pathOf(place) }),
    table: (place) => ask({ method: 'GET', path: pathOf(place), accept: TABLE }),
    watch: (place, form, opened) => {
      const accept = form === 'tables' ? TABLE : 'application/json';
      return watchLines(connection, { path: pathOf(place), accept, opened }, trace);
    },
    create: (place, body) => ask({ method: 'POST', path: pathOf(place), body }),
    preview: (place, body) => {
      const path = pathOf({ ...place, query: 'dryRun=All' });
      return ask({ method: 'POST', path, body }, () => undefined);
    },
    replace: (place, body) => ask({ method: 'PUT', path: pathOf(place), body }),
    merge: (place, body) => ask({ method: 'PATCH', path: pathOf(place), body, contentType: patchType }),
    remove: (place, uid) => ask({ method: 'DELETE', path: pathOf(place), ...only(uid) }),
    read: (path) => ask({ method: 'GET', path }),
    post: (path, body) => ask({ method: 'POST', path, body }),
    put: (path, body) => ask({ method: 'PUT', path, body }),
    erase: (path, uid) => ask({ method: 'DELETE', path, ...only(uid) }),
    during: (other) => clientFor(connection, terminal, trace, other),
  };
}

const only = (uid: string | undefined): object =>
  uid === undefined ? {} : { body: { preconditions: { uid } } };

/** The answer, or undefined where there is nothing of that name. */
export async function ifFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.reason === 'notFound') return undefined;
    throw error;
  }
}

/** The answer, or undefined where the server refuses it or has nothing of that name. */
export async function ifReadable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && ['forbidden', 'notFound'].includes(error.reason)) return undefined;
    throw error;
  }
}

/** Throws Failure for a name that no object can have: it would lead to another path. */
function pathOf({ resource, namespace, name, subresource, query }: Place): string {
  const steps = [
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    resource,
    ...(name === undefined ? [] : [name]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  for (const step of steps) {
    // k8s.io/apimachinery/pkg/api/validation/path: IsValidPathSegmentName
    if (/^(|\.\.?|.*[/%].*)$/s.test(step)) throw usage(`"${step}" cannot be a name`);
  }
  return `${GROUP_PATH}/${steps.map(encodeURIComponent).join('/')}${query === undefined ? '' : `?${query}`}`;
}
