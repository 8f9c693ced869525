import { apiErrorOf } from './apierror.js';

/** How requests are sent: `fetch`, or one that takes the same and answers alike. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** An API redirects nobody: a body would go where the answer says. */
  readonly redirect?: 'error';
}

/** The part of `Response` that the client reads. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Bytes as they come. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

export interface ClientOptions {
  /** `https://127.0.0.1:6443`; a path before that of the API may follow. */
  readonly server: string;
  /** A bearer token, such as an access key; or what gives it for each request, where it changes. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Instead of the global `fetch`: `fetchOver` of `@management/client/node` takes certificates. */
  readonly fetch?: Fetch | undefined;
}

export interface RequestOptions {
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
}

export interface Request extends RequestOptions {
  readonly method: string;
  /** From the root: `/apis/management.svc.example/v1/selves`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; `application/json` unless it is told. */
  readonly contentType?: string | undefined;
  /** Of the answer; `application/json` unless it is told. */
  readonly accept?: string | undefined;
}

/**
 * Sends a request.
 * @throws ApiError where the server refuses; what `fetch` throws where there is no answer.
 */
export async function send(options: ClientOptions, request: Request): Promise<FetchAnswer> {
  const answer = await exchange(options, request);
  if (answer.status < 200 || answer.status >= 300) throw apiErrorOf(answer.status, await answer.text());
  return answer;
}

/** The same, with an answer of any status. */
export async function exchange(options: ClientOptions, request: Request): Promise<FetchAnswer> {
  const fetch: Fetch = options.fetch ?? globalThis.fetch;
  const token = typeof options.token === 'function' ? await options.token() : options.token;
  const { method, body, signal } = request;
  return fetch(urlOf(options.server, request), {
    method,
    headers: {
      accept: request.accept ?? 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
    redirect: 'error',
  });
}

/** `Retry-After` in milliseconds: it has seconds, or a date. */
export function retryAfterOf(header: string | null | undefined): number | undefined {
  if (header == null) return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function urlOf(server: string, { path, query = {} }: Request): string {
  // Another beginning could name another host.
  if (!path.startsWith('/'))
    throw new TypeError(`the path ${JSON.stringify(path)} does not begin with a slash`);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const parameters = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${server.replace(/\/+$/, '')}${path}${parameters && `?${parameters}`}`;
}
