import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** One request with its answer, over HTTP/1.1 or HTTP/2; both have the members that the server uses. */
export interface Exchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
}

/** Answers every request of the listener. Never rejects. */
export type Handler = (exchange: Exchange) => Promise<void>;
