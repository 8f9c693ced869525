/** For Node alone: requests with certificates, which `fetch` takes none of. */
import { request, type RequestOptions } from 'node:https';
import type { FetchAnswer, Fetch } from './transport.js';

/**
 * A fetch over TLS with options of `node:https`: `ca`, `cert`, `key`, `rejectUnauthorized`, `agent`, headers. They may be
 * those that `KubeConfig.applyToHTTPSOptions` of `@kubernetes/client-node` writes.
 */
export function fetchOver(options: RequestOptions): Fetch {
  return (url, { method, headers, body, signal }) =>
    new Promise<FetchAnswer>((resolve, reject) => {
      // Of a DELETE, Node says no length unless it is told.
      const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) };
      const all: RequestOptions = {
        ...options,
        method,
        ...(signal !== undefined && { signal }),
        headers: { ...options.headers, ...headers, ...length },
      };
      const sent = request(url, all, (answer) => {
        const status = answer.statusCode ?? 0;
        const text = async (): Promise<string> => {
          const pieces: Uint8Array[] = [];
          for await (const piece of answer) pieces.push(piece);
          return Buffer.concat(pieces).toString();
        };
        resolve({ ok: status >= 200 && status < 300, status, text, body: answer });
      });
      sent.once('error', reject);
      sent.end(body);
    });
}
