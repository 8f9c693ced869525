/** Requests for another protocol, on connections of HTTP/1.1. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange } from '../httpexchange.js';
import { refuseConnection } from './refuseconnection.js';
import { endSoon } from './rejectearly.js';

/**
 * The prefix of a token from browsers, which cannot set headers
 * (`k8s.io/apiserver/pkg/authentication/request/websocket`).
 */
export const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

/**
 * The exchange of a request for another protocol. It is answered like any other unless it is a watch over WebSocket
 * (`watch/websocket.ts`). Afterwards the connection ends. Undefined if it cannot be answered so.
 */
export function upgradeExchange(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Omit<Exchange, 'end' | 'proved' | 'slot'> | undefined {
  socket.on('error', () => undefined);
  socket.setTimeout(0);
  if (request.method !== 'GET') {
    refuseConnection(socket, '400 Bad Request', {}, request.method);
    return undefined;
  }
  const token = offeredToken(request);
  if (token !== undefined) request.headers.authorization ??= `Bearer ${token}`;
  if (isOfAnotherSite(request)) {
    refuseConnection(socket, '403 Forbidden');
    return undefined;
  }
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => endSoon(socket));
  const webSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return { request, response, ...(webSocket && { upgrade: { socket, head } }) };
}

/**
 * Whether a page of another site may have sent the request on behalf of its reader. Browsers send a client certificate
 * for any page, and do not apply CORS to WebSockets (RFC 6455, section 10.2). A page with a token received it from its
 * user; a front proxy checks the requests that it forwards.
 */
function isOfAnotherSite({ headers }: IncomingMessage): boolean {
  const { origin, host = '' } = headers;
  if (origin === undefined || headers.authorization !== undefined) return false;
  if (headers['x-remote-user'] !== undefined) return false;
  return origin.toLowerCase() !== `https://${host.toLowerCase()}`;
}

function offeredToken({ headers }: IncomingMessage): string | undefined {
  const offered = headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? [];
  const token = offered.find((protocol) => protocol.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  return token === undefined ? undefined : Buffer.from(token, 'base64url').toString('latin1');
}
