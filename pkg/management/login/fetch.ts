import { textOf } from '../../../api/client/body.js';
import { requestOver } from '../../../api/client/node.js';
import type { CustomFetch, CustomFetchOptions } from 'openid-client';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Requests over https that trust these authorities (PEM) alone, or the system's. Follows no redirects. Rejects after
 * 10 s or 1 MiB.
 */
export function fetchTrusting(authorities: string | undefined): CustomFetch {
  return async (url: string, { method, headers, body }: CustomFetchOptions) => {
    const options = { method, headers, ca: authorities, timeout: REQUEST_TIMEOUT_MS };
    const answer = await requestOver(url, options, body == null ? undefined : sentBody(body));
    const text = await textOf(answer, MAX_BYTES);
    const given = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      for (const one of [value ?? []].flat()) given.append(name, one);
    const { statusCode: status = 500 } = answer;
    const empty = status === 204 || status === 304;
    return new Response(empty ? null : text, { status, headers: given });
  };
}

function sentBody(body: NonNullable<CustomFetchOptions['body']>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body is neither a text nor bytes');
}
