import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { SessionCredentials } from '../authentication/interface.js';
import type { ExchangeEnd } from './exchangeend.js';
import type { Slot } from './filters/flowcontrol/slot.js';

export interface ClusterRequest {
  /** The name of the cluster; `''` if unknown. Determined at each call, as instances move. */
  name(this: void): string;
  /** In the words of the cluster's agent, with its query. */
  readonly url: string;
  /** The prefix of the agent's messages, and its replacement for clients; may be equal. */
  readonly prefix: { readonly agent: string; readonly client: string };
}

interface OverHttp2 {
  /** Undefined: over HTTP/1.1. */
  readonly stream?: ServerHttp2Stream;
}

/**
 * One request and its response, over HTTP/1.1 or HTTP/2. The HTTP/2 objects (`pkg/server/listener/http2request.ts` and
 * `http2response.ts`) implement every member of the `node:http` types that the server uses.
 */
export interface Exchange {
  readonly request: IncomingMessage & OverHttp2;
  readonly response: ServerResponse & OverHttp2;
  /** Reports the end of the exchange. Use it, and not the response, to find out whether the client has disconnected: the two
   * protocols differ in that. */
  readonly end: ExchangeEnd;
  /** Tells the listener that the client of the connection is authenticated. */
  readonly proved?: () => void;
  /** The audit record of a non-resource request. */
  audit?: { annotated(name: string, value: string): void } | undefined;
  /** Set when the request has a slot of flow control. */
  slot: Slot | undefined;
  /** The path and query that are served; absent: those of the request. */
  url?: string;
  /** Texts of `Warning` headers from before the request was read; absent: none. */
  warnings?: string[];
  /** Receives the whole body, if it is read. */
  observeBody?: (body: Buffer) => void;
  /** Set for a request that is authenticated by a session alone. */
  session?: SessionCredentials;
  /** Set for a request that is passed on to a connected cluster: only tokens for that cluster count in it. */
  cluster?: ClusterRequest;
  /** Set if the client requests a WebSocket: the socket, and the bytes that it has already sent. */
  readonly upgrade?: { readonly socket: Socket; readonly head: Buffer };
}

/** The path and query that are served. */
export const servedUrl = ({ url, request }: Pick<Exchange, 'url' | 'request'>): string =>
  url ?? request.url ?? '/';

/** May mark a request, or answer it: then it returns true, and nothing else handles it. */
export type Filter = (exchange: Exchange) => boolean;

/** Handles every request of the listener. Never rejects. */
export type Handler = (exchange: Exchange) => Promise<void>;
