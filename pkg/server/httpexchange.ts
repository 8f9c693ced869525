import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ExchangeEnd } from './listener/exchangeend.js';
import type { Slot } from './filters/flowcontrol/slot.js';

/**
 * One request with its answer, over HTTP/1.1 or HTTP/2: the objects of HTTP/2 (`pkg/server/listener/http2request.ts` and
 * `http2response.ts`) have every member that the server uses, so both are spoken of by the names of `node:http`.
 */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Ask it, and not the response, whether the client is still there: the two protocols tell that differently. */
  readonly end: ExchangeEnd;
  /** To be called when its client has proved who it is: for who accepts connections. */
  readonly proved?: () => void;
  /** What the audit log records of it, where it is no request for a resource. */
  audit?: { annotated(name: string, value: string): void } | undefined;
  /** Set once the request was let in. */
  slot: Slot | undefined;
  /** Set where the client asks for a WebSocket: the connection, and what it has sent on it already. */
  readonly upgrade?: { readonly socket: Socket; readonly head: Buffer };
}

/** Answers every request of the listener. Never rejects. */
export type Handler = (exchange: Exchange) => Promise<void>;
