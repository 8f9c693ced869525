/** Answers to malformed requests and other protocols, without authentication and audit. */
import { ServerResponse } from 'node:http';
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

/**
 * Sends the status as text over HTTP/1.1, like Go's server, and ends the connection. `more`: further headers. A HEAD gets
 * no text.
 */
export function refuseConnection(
  connection: Pick<Duplex, 'end'>,
  status: RefusalStatus,
  more: Readonly<Record<string, string>> = {},
  method = 'GET',
): void {
  const date = new Date().toUTCString();
  const length = String(status.length);
  const headers = { ...HEADERS, ...more, Date: date, Connection: 'close', 'Content-Length': length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${method === 'HEAD' ? '' : status}`);
}

const STATUSES: Readonly<Record<Fault['code'], RefusalStatus>> = {
  400: '400 Bad Request',
  417: '417 Expectation Failed',
  431: '431 Request Header Fields Too Large',
  505: '505 HTTP Version Not Supported',
};

/** Refuses a request whose connection is for nothing else afterwards. */
export function refuseWithConnection(socket: Duplex, { code }: Fault, method?: string): void {
  socket.on('error', () => undefined);
  refuseConnection(socket, STATUSES[code], {}, method);
  endSoon(socket);
}

/**
 * Refuses what the parser of HTTP/1.1 did not take, once for each connection: each further piece is an error again, and a
 * connection that is closed before they came is reset, and its answer lost. Requests before it are answered first.
 */
export function refuseUnparsed(): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const refused = new WeakSet<Duplex>();
  return (error, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (refused.has(socket)) return;
    if (!socket.writable) return void socket.destroy();
    refused.add(socket);
    // What comes after the last request of a connection has no answer (RFC 9112, 9.6).
    if (error.code === 'HPE_CLOSED_CONNECTION' && answerOn(socket) !== undefined) return;
    refuseInTurn(socket, REFUSALS[error.code ?? ''] ?? '400 Bad Request');
  };
}

function refuseInTurn(socket: Duplex, status: RefusalStatus): void {
  if (!socket.writable) return;
  const answer = answerOn(socket);
  if (answer?.req.complete === true) {
    // Node gives the connection to the next answer before that.
    answer.once('finish', () => refuseInTurn(socket, status));
    return;
  }
  // The body of this request is what is wrong, and it has its answer already, in whole or in part.
  if (answer?.headersSent === true) return answer.writableEnded ? undefined : void socket.destroy();
  refuseConnection(socket, status);
  endSoon(socket);
}

/** The answer that has the connection. */
function answerOn(socket: Duplex): ServerResponse | undefined {
  const answer: unknown = Reflect.get(socket, '_httpMessage');
  return answer instanceof ServerResponse ? answer : undefined;
}

/** Sends the status as text over HTTP/2. */
function refuseStream(
  response: ServerResponse,
  status: RefusalStatus,
  more: Readonly<Record<string, string>>,
): void {
  response.writeHead(Number.parseInt(status, 10), { ...HEADERS, ...more }).end(status);
}

/** As Go's `net/http` answers HTTP without TLS. */
function plainHttp(): string {
  const text = 'Client sent an HTTP request to an HTTPS server.\n';
  const type = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}`;
  const headers = `${type}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close`;
  return `HTTP/1.0 400 Bad Request\r\n${headers}\r\n\r\n${text}`;
}

/** `connection`: below the one that did not come to be. A client that does not end it is cut off. */
function refusePlainHttp(connection: Socket): void {
  connection.end(plainHttp());
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
  // Over HTTP/1.1 the second argument is the connection.
  server.on('connect', (request: Exchange['request'], response: ServerResponse) =>
    request.httpVersionMajor === 2
      ? refuseStream(response, '405 Method Not Allowed', NO_METHODS)
      : refuseConnection(request.socket, '405 Method Not Allowed', NO_METHODS),
  );
}

/** Of the target of CONNECT, which is another server. */
const NO_METHODS = { Allow: '' };
