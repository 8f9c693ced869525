/** Serves tunnels: each stream is a connection with one request, handled as on the agent's port. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  performServerHandshake,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { Exchange, Handler } from '../../server/httpexchange.js';
import { Connections } from '../../server/listener/connections.js';
import { faultOf } from '../../server/listener/intake/requestform.js';
import { refuseRequest } from '../../server/listener/intake/refuserequest.js';
import { HEADER_FIELDS } from '../../server/listener/intake/sessionintake.js';
import { refuseUnparsed, refuseWithConnection } from '../../server/listener/refuseconnection.js';
import { agentUpgrade } from '../upgrade.js';
import type { ApiServerConnections } from './apiserver.js';
import { API_SERVER, CLIENT_ADDRESS, DESTINATION, TUNNEL_LIMITS, TUNNEL_RESETS } from './protocol.js';
import { clockPing } from './clockpings.js';
import { endWhenSilent } from './pings.js';
import { streamSocket } from './streamsocket.js';

export interface TunnelServer {
  /** Serves a connection until either end closes it. */
  serve(connection: Socket): ServerHttp2Session;
}

/** As on the port of the agent. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * `failed`: called with errors of the handler. `apiServer`: absent: connections to the API server are
 * refused.
 */
export function tunnelServer(
  handler: Handler,
  failed: (error: unknown) => void,
  apiServer?: ApiServerConnections,
): TunnelServer {
  // The management API cuts off responses that are not read.
  const connections = new Connections({ add: () => undefined });
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, keepAlive: false });
  // More than are taken, so that a request with one more can be refused.
  server.maxHeadersCount = HEADER_FIELDS + 1;
  server.maxRequestsPerSocket = 1;
  const serve = (exchange: Exchange): void => {
    handler(exchange).catch((error: unknown) => {
      failed(error);
      exchange.end.cut();
    });
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.shouldKeepAlive = false;
    const exchange = { request, response, end: connections.begin(request, response), slot: undefined };
    const fault = faultOf(request);
    return fault === undefined ? serve(exchange) : refuseRequest(exchange, fault);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (connections.underWay(socket) > 0) return void socket.destroy();
    const fault = faultOf(request);
    if (fault !== undefined) return refuseWithConnection(socket, fault, request.method);
    const exchange = agentUpgrade(request, socket, head);
    serve({ ...exchange, end: connections.begin(request, exchange.response), slot: undefined });
  });
  // Releases of Node that do not cut headers off refuse them here.
  server.on('clientError', refuseUnparsed());

  function begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    stream.on('error', () => undefined);
    if (headers[':method'] !== 'CONNECT') return stream.respond({ ':status': 405 }, { endStream: true });
    if (headers[DESTINATION] === API_SERVER) {
      if (apiServer !== undefined) return apiServer.begin(stream);
      return stream.respond({ ':status': 403 }, { endStream: true });
    }
    // Node responds with 200 together with the first bytes of the response.
    const address = headers[CLIENT_ADDRESS];
    server.emit(
      'connection',
      streamSocket(stream, { address: typeof address === 'string' ? address : undefined }),
    );
  }
  return {
    serve(connection) {
      const session = performServerHandshake(connection, {
        ...TUNNEL_RESETS,
        maxSessionMemory: TUNNEL_LIMITS.sessionMemory,
        settings: {
          maxConcurrentStreams: TUNNEL_LIMITS.streams,
          initialWindowSize: TUNNEL_LIMITS.window,
        },
      });
      session.on('stream', begin);
      session.on('error', () => undefined);
      connection.once('close', () => session.destroy());
      endWhenSilent(session, { payload: () => clockPing(Date.now()) });
      return session;
    },
  };
}
