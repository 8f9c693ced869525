/** Requests to the public API with the session of this browser, and with the rights of its user. */
import { fetchWith, type BrowserSettings } from '../../../api/client/browser.js';
import { exchange, type FetchAnswer, type Request } from '../../../api/client/transport.js';
import { csrfToken, sessionEnded } from '../session/session.js';
import { errorOf, isOk, jsonOf, offline } from './status.js';
import { parseExact } from '../../../api/exactjson.js';

/** The prefix of every path of the API. */
const PREFIX = '/console/api';

export interface SendOptions extends Pick<Request, 'body' | 'contentType' | 'accept' | 'signal'> {
  readonly cache?: BrowserSettings['cache'];
}

/** The response, whose body is not read yet. Rejects with ApiError, or with AbortError if `signal` is aborted. */
export async function open(
  method: string,
  path: string,
  { cache, ...request }: SendOptions = {},
): Promise<FetchAnswer> {
  const headers: Record<string, string> = method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken() };
  const session = { server: PREFIX, fetch: fetchWith({ credentials: 'same-origin', cache, headers }) };
  const answer = await exchange(session, { ...request, method, path }).catch((error: unknown) => {
    throw request.signal?.aborted === true ? error : offline();
  });
  if (isOk(answer)) return answer;
  if (answer.status === 401) sessionEnded();
  throw errorOf(answer.status, await jsonOf(answer));
}

/**
 * The response as JSON. `T`: the type that the API declares for the path; it is not checked. Rejects as {@link open}.
 */
export async function send<T>(method: string, path: string, options?: SendOptions): Promise<T> {
  const parsed: T = parseExact(await (await open(method, path, options)).text());
  return parsed;
}

/**
 * As {@link send}, with another credential than the session: an access key that was just created, or a token for
 * connected clusters. Rejects with ApiError, and as `fetch` if there is no response.
 */
export async function sendAs<T>(
  credential: string,
  method: 'GET' | 'POST',
  path: string,
  request: Pick<SendOptions, 'body' | 'accept' | 'signal'>,
): Promise<T> {
  const other = { server: '', token: credential, fetch: fetchWith({ credentials: 'omit' }) };
  const response = await exchange(other, { ...request, method, path });
  const answer = await jsonOf(response);
  if (!isOk(response)) throw errorOf(response.status, answer);
  // The server defines the type of the response.
  return answer as T;
}
