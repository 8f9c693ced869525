/** Answers to malformed requests and other protocols, without authentication and audit. */
import type { ServerResponse } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { below } from './transport.js';
import type { Duplex } from 'node:stream';
import { endSoon, LINGER_MS } from './rejectearly.js';
import type { Exchange } from '../httpexchange.js';
import type { Fault } from './intake/requestform.js';
import { NO_SNIFFING } from '../responsewriters/send.js';

export type RefusalStatus =
  | '400 Bad Request'
  | '403 Forbidden'
  | '405 Method Not Allowed'
  | '408 Request Timeout'
  | '417 Expectation Failed'
  | '431 Request Header Fields Too Large'
  | '505 HTTP Version Not Supported';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-cache, private',
  [NO_SNIFFING.name]: NO_SNIFFING.value,
};

/** By the code of the HTTP/1.1 parser's error. */
const REFUSALS: Readonly<Record<string, RefusalStatus>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Sends the status as text over HTTP/1.1, like Go's server, and ends the connection. `more`: further headers. */
export function refuseConnection(
  connection: Pick<Duplex, 'end'>,
  status: RefusalStatus,
  more: Readonly<Record<string, string>> = {},
): void {
  const headers = { ...HEADERS, ...more, Connection: 'close', 'Content-Length': String(status.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${status}`);
}

const STATUSES: Readonly<Record<Fault['code'], RefusalStatus>> = {
  400: '400 Bad Request',
  417: '417 Expectation Failed',
  431: '431 Request Header Fields Too Large',
  505: '505 HTTP Version Not Supported',
};

/** Refuses a request whose connection is for nothing else afterwards. */
export function refuseWithConnection(socket: Duplex, { code }: Fault): void {
  socket.on('error', () => undefined);
  refuseConnection(socket, STATUSES[code]);
  endSoon(socket);
}

/**
 * Refuses what the parser of HTTP/1.1 did not take, once for each connection: each further piece is an error again, and a
 * connection that is closed before they came is reset, and its answer lost.
 */
export function refuseUnparsed(): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();
  return (error, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (refused.has(socket)) return;
    if (!socket.writable) return void socket.destroy();
    refused.add(socket);
    refuseConnection(socket, REFUSALS[error.code ?? ''] ?? '400 Bad Request');
    endSoon(socket);
  };
}

/** Sends the status as text over HTTP/2. */
function refuseStream(response: ServerResponse, status: RefusalStatus): void {
  response.writeHead(Number.parseInt(status, 10), HEADERS).end(status);
}

/** As Go's `net/http` answers HTTP without TLS. */
const PLAIN_HTTP = (() => {
  const text = 'Client sent an HTTP request to an HTTPS server.\n';
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\nConnection: close`;
  return `HTTP/1.0 400 Bad Request\r\n${headers}\r\n\r\n${text}`;
})();

/** `connection`: below the one that did not come to be. A client that does not end it is cut off. */
function refusePlainHttp(connection: Socket): void {
  connection.end(PLAIN_HTTP);
  const { destroy } = connection;
  // Node destroys it with the one above it, before the client has its answer.
  connection.destroy = () => connection;
  setTimeout(() => {
    connection.destroy = destroy;
    connection.destroy();
  }, LINGER_MS).unref();
}

/** Replaces Node's own answers to malformed requests, and closes connections that do not speak HTTP. */
export function refuseMalformed(server: Http2SecureServer): void {
  server.on('sessionError', () => undefined);
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = below(socket);
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && connection?.writable === true) refusePlainHttp(connection);
    socket.destroy();
  });
  server.on('clientError', refuseUnparsed());
  const refuse = (
    { request, response }: Pick<Exchange, 'request' | 'response'>,
    status: RefusalStatus,
  ): void =>
    request.httpVersionMajor === 2
      ? refuseStream(response, status)
      : refuseConnection(request.socket, status);
  // Over HTTP/1.1 the second argument is the connection.
  server.on('connect', (request: Exchange['request'], response: ServerResponse) =>
    refuse({ request, response }, '405 Method Not Allowed'),
  );
}
