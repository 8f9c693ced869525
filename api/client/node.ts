/** For Node alone: requests with certificates, which `fetch` takes none of. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { textOf } from './body.js';
import type { Fetch } from './transport.js';

/** Called with each request before it is sent: for what its events tell. */
export type OnRequest = (request: ClientRequest) => void;

export interface FetchLimits {
  /** Of an answer that is read whole; absent: 64 MiB. */
  readonly maxBytes?: number;
  readonly onRequest?: OnRequest;
}

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Sends a request over TLS, and resolves with the head of the answer. Its `timeout` is the longest silence. Redirects are
 * not followed.
 */
export function requestOver(
  url: string | URL,
  options: RequestOptions,
  body?: string | Uint8Array,
  onRequest?: OnRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let broken: ClientRequest | IncomingMessage;
    const sent = request(url, options, (answer) => resolve((broken = answer)));
    broken = sent;
    const { timeout } = options;
    if (timeout !== undefined)
      sent.on('timeout', () => broken.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    sent.on('error', reject);
    // An answer that changes the protocol is no error to Node.
    sent.once('close', () => reject(new Error('the connection ended without an answer')));
    onRequest?.(sent);
    sent.end(body);
  });
}

/**
 * A fetch over TLS with options of `node:https`: `ca`, `cert`, `key`, `rejectUnauthorized`, `agent`, headers. They may be
 * those that `KubeConfig.applyToHTTPSOptions` of `@kubernetes/client-node` writes.
 */
export function fetchOver(options: RequestOptions, limits: FetchLimits = {}): Fetch {
  return async (url, { method, headers, body, signal }) => {
    // Of a DELETE, Node says no length unless it is told.
    const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) };
    const all = { ...options, method, signal, headers: { ...options.headers, ...headers, ...length } };
    const answer = await requestOver(url, all, body, limits.onRequest);
    return {
      status: answer.statusCode ?? 0,
      headers: { get: (name) => headerOf(answer, name) },
      text: () => textOf(answer, limits.maxBytes ?? MAX_BYTES),
      body: answer,
    };
  };
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}
