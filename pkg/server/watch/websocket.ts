/** Watches over WebSocket, on connections of HTTP/1.1: one event in each message, text for JSON, binary for protobuf. */
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import { boundReceived } from '../../apimachinery/receivedbytes.js';
import { endSoon } from '../listener/rejectearly.js';
import type { Exchange } from '../httpexchange.js';
import { refuseConnection } from '../listener/refuseconnection.js';
import { TOKEN_PROTOCOL } from '../listener/upgradeexchange.js';
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
      handleProtocols: (offered) =>
        [...offered].find((protocol) => !protocol.startsWith(TOKEN_PROTOCOL)) ?? false,
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
