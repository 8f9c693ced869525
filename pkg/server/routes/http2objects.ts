/** Node's own objects for an exchange over HTTP/2: Express, and its bridge to HTTP/2, rest on their prototypes. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Exchange } from '../httpexchange.js';
import { Http2Request } from '../listener/http2request.js';

/** Members set on the answer are set on its stream too. Call it before anything was read or sent. */
export function nodeObjects({ request, response }: Pick<Exchange, 'request' | 'response'>): {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
} {
  if (!(request instanceof Http2Request)) return { request, response };
  const { stream, headers, rawHeaders } = request;
  const own = new Http2ServerRequest(stream, headers, {}, rawHeaders);
  const answer = new Http2ServerResponse(stream);
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) answer.setHeader(name, value);
  }
  // They have the members of HTTP/1.1 objects that Express uses.
  return { request: own as unknown as IncomingMessage, response: answer as unknown as ServerResponse };
}
