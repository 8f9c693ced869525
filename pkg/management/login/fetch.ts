import { request } from 'node:https';
import type { CustomFetch, CustomFetchOptions } from 'openid-client';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Requests over https that trust these authorities (PEM) alone, or the system's. Follows no redirects. Rejects after
 * 10 s or 1 MiB.
 */
export function fetchTrusting(authorities: string | undefined): CustomFetch {
  return (url: string, { method, headers, body }: CustomFetchOptions) =>
    new Promise((resolve, reject) => {
      const sent = request(
        url,
        { method, headers, ca: authorities, timeout: REQUEST_TIMEOUT_MS },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_BYTES)
              response.destroy(new Error('the answer of the identity provider is too large'));
            chunks.push(chunk);
          });
          response.once('error', reject);
          response.once('end', () => {
            const given = new Headers();
            for (const [name, value] of Object.entries(response.headers))
              for (const one of [value ?? []].flat()) given.append(name, one);
            const { statusCode: status = 500 } = response;
            const empty = status === 204 || status === 304;
            resolve(new Response(empty ? null : Buffer.concat(chunks), { status, headers: given }));
          });
        },
      );
      sent.once('timeout', () => sent.destroy(new Error('the identity provider did not answer in time')));
      sent.once('error', reject);
      sent.end(body === undefined || body === null ? undefined : textOf(body));
    });
}

function textOf(body: NonNullable<CustomFetchOptions['body']>): string | Uint8Array {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body is neither a text nor bytes');
}
