/** Requests to the public API with the session of this browser, and with the rights of its user. */
import { csrfToken, sessionEnded } from '../session/session.js';
import { errorOf, offline } from './status.js';

/** The prefix of every path of the API. */
const PREFIX = '/console/api';

export interface SendOptions {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Absent: the browser does not cache the response. */
  readonly cache?: RequestCache;
}

/** The response, whose body is not read yet. Rejects with ApiError, or with AbortError if `signal` is aborted. */
export async function open(method: string, path: string, options: SendOptions = {}): Promise<Response> {
  const { body, contentType = 'application/json', accept = 'application/json', signal } = options;
  const { cache = 'no-store' } = options;
  let response: Response;
  try {
    response = await fetch(PREFIX + path, {
      method,
      signal: signal ?? null,
      credentials: 'same-origin',
      cache,
      redirect: 'error',
      headers: {
        Accept: accept,
        ...(method !== 'GET' && { 'X-CSRF-Token': csrfToken() }),
        ...(body !== undefined && { 'Content-Type': contentType }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw offline();
  }
  if (response.ok) return response;
  if (response.status === 401) sessionEnded();
  throw errorOf(response.status, await response.json().catch(() => undefined));
}

/**
 * The response as JSON. `T`: the type that the API declares for the path; it is not checked. Rejects as {@link open}.
 */
export async function send<T>(method: string, path: string, options?: SendOptions): Promise<T> {
  // The server defines the type of the response.
  return (await (await open(method, path, options)).json()) as T;
}

/**
 * As {@link send}, with another credential than the session: an access key that was just created, or a token for
 * connected clusters. Rejects with ApiError, and as `fetch` if there is no response.
 */
export async function sendAs<T>(
  credential: string,
  method: 'GET' | 'POST',
  path: string,
  { body, accept = 'application/json', signal }: Pick<SendOptions, 'body' | 'accept' | 'signal'>,
): Promise<T> {
  const response = await fetch(path, {
    method,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    signal: signal ?? null,
    headers: { Accept: accept, Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response.status, answer);
  // The server defines the type of the response.
  return answer as T;
}
