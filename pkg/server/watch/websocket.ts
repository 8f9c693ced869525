/** Watches over WebSocket, on connections of HTTP/1.1: one event in each message, text for JSON, binary for protobuf. */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import { boundReceived } from '../../apimachinery/receivedbytes.js';
import { endSoon } from '../listener/rejectearly.js';
import type { Exchange } from '../httpexchange.js';
import { refuseConnection } from '../listener/refuseconnection.js';
import { NO_SNIFFING } from '../responsewriters/send.js';
import { connectionNumber, type WatchWriter } from './watchwriter.js';

/** Clients have nothing to say on a watch. */
const MAX_MESSAGE_BYTES = 4096;
/** Of all that a client sends on a watch, pings included. */
const MAX_RECEIVED_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
/** Of the length before a protobuf frame. */
const LENGTH_BYTES = 4;
const NORMAL_CLOSURE = 1000;
const POLICY_VIOLATION = 1008;
const OPEN = 1;
/**
 * The prefix of a token from browsers, which cannot set headers
 * (`k8s.io/apiserver/pkg/authentication/request/websocket`).
 */
const BEARER = 'base64url.bearer.authorization.k8s.io.';

let acceptor: WebSocketServer | undefined;

/** Loaded when the first client asks for it, which most never do. */
async function loadAcceptor(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return (acceptor ??= withHeaders(
    new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      handleProtocols: (offered) => [...offered].find((protocol) => !protocol.startsWith(BEARER)) ?? false,
    }),
  ));
}

/** Adds the common response headers. */
function withHeaders(server: WebSocketServer): WebSocketServer {
  server.on('headers', (lines) => lines.push(`${NO_SNIFFING.name}: ${NO_SNIFFING.value}`));
  server.on('wsClientError', (_error, socket) =>
    refuseConnection(socket, '400 Bad Request', { 'Sec-WebSocket-Version': '13' }),
  );
  return server;
}

/**
 * The exchange of a request for another protocol. It is answered like any other unless it is a watch: see {@link
 * acceptWebSocket}. Afterwards the connection ends. Undefined if it cannot be answered so.
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
  const token = offered.find((protocol) => protocol.startsWith(BEARER))?.slice(BEARER.length);
  return token === undefined ? undefined : Buffer.from(token, 'base64url').toString('latin1');
}

/**
 * Completes the handshake; undefined if it is invalid, or the client has disconnected. `binary`: frames are
 * length-prefixed protobuf; messages omit the prefix.
 */
export async function acceptWebSocket(
  { request, response, upgrade }: Exchange,
  binary: boolean,
): Promise<WatchWriter | undefined> {
  const accepting = acceptor ?? (await loadAcceptor());
  return new Promise((resolve) => {
    if (upgrade === undefined || upgrade.socket.destroyed) return resolve(undefined);
    const { socket, head } = upgrade;
    socket.once('close', () => resolve(undefined));
    accepting.handleUpgrade(request, socket, head, (webSocket) => {
      response.statusCode = 101;
      webSocket.on('error', () => undefined);
      endTalkative(webSocket, socket);
      resolve(writerOf(webSocket, socket, binary ? binaryMessages : textMessages));
    });
  });
}

/** Messages are dropped, but each is read. */
function endTalkative(webSocket: WebSocket, socket: Socket): void {
  boundReceived(socket, MAX_RECEIVED_BYTES, () => {
    if (webSocket.readyState !== OPEN) return;
    webSocket.close(POLICY_VIOLATION, 'a watch takes no messages');
    endSoon(socket);
  });
}

type Messages = (frames: Buffer, send: (message: Buffer, options: { binary: boolean }) => void) => void;

const textMessages: Messages = (lines, send) => {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(NEWLINE, start) + 1;
    send(lines.subarray(start, end), { binary: false });
    start = end;
  }
};

const binaryMessages: Messages = (frames, send) => {
  for (let start = 0; start < frames.length;) {
    const begin = start + LENGTH_BYTES;
    start = begin + frames.readUInt32BE(start);
    send(frames.subarray(begin, start), { binary: true });
  }
};

function writerOf(webSocket: WebSocket, socket: Socket, messages: Messages): WatchWriter {
  return {
    chunked: false,
    connection: connectionNumber(socket),
    write(frames) {
      messages(frames, (message, options) => webSocket.send(message, options));
      return !socket.writableNeedDrain;
    },
    drained: (then) => void socket.once('drain', then),
    end: () => webSocket.close(NORMAL_CLOSURE),
    destroy: () => webSocket.terminate(),
    get closed() {
      return webSocket.readyState !== OPEN;
    },
  };
}
