/** The framing of a request body, which must be unambiguous. */
import type { IncomingMessage } from 'node:http';
import { badRequest } from '../apimachinery/errors.js';

export type Framing =
  | { readonly body: 'none' }
  | { readonly body: 'sized'; readonly length: string }
  | { readonly body: 'chunked' };

type Framed = Pick<IncomingMessage, 'headers' | 'httpVersionMajor'> & {
  /** The stream of HTTP/2. */
  readonly stream?: { readonly endAfterHeaders: boolean };
};

/** Throws StatusError 400 for framing that parsers may read differently (RFC 9112, 6.3). */
export function framingOf({ headers, httpVersionMajor, stream }: Framed): Framing {
  const length = headers['content-length'];
  const encoding = headers['transfer-encoding'];
  if (length !== undefined && !/^\d{1,15}$/.test(length))
    throw badRequest('the Content-Length must be one number');
  if (encoding !== undefined) {
    if (httpVersionMajor !== 1 || length !== undefined || encoding.toLowerCase() !== 'chunked')
      throw badRequest('the body must have a Content-Length, or the Transfer-Encoding "chunked" alone');
    return { body: 'chunked' };
  }
  if (length !== undefined) return Number(length) === 0 ? { body: 'none' } : { body: 'sized', length };
  return httpVersionMajor === 2 && stream?.endAfterHeaders === false ? { body: 'chunked' } : { body: 'none' };
}

/** Methods that usually have a body send Content-Length 0 without one (RFC 9110, 8.6). */
const WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH'];

/** Headers for the API server; names and values alternate. */
export function framingHeaders(framing: Framing, method: string): string[] {
  switch (framing.body) {
    case 'sized':
      return ['Content-Length', framing.length];
    case 'chunked':
      return ['Transfer-Encoding', 'chunked'];
    case 'none':
      return WITH_BODY.includes(method) ? ['Content-Length', '0'] : [];
  }
}
