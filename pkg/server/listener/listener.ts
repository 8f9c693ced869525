import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { listeningPort } from '../../apimachinery/listeningport.js';
import { Connections } from './connections.js';
import { Handshakes } from './handshakes.js';
import type { Exchange, Handler } from '../httpexchange.js';
import { Http2Request } from './http2request.js';
import { Http2Response } from './http2response.js';
import { keepParsing, letPause } from './keepparsing.js';
import { checkHeaders } from './intake/sessionrefusals.js';
import { faultOf, isOtherProtocol } from './intake/requestform.js';
import { refuseRequest } from './intake/refuserequest.js';
import { checkTap } from './intake/tap.js';
import { HEADER_FIELDS, HEADER_LIST_BYTES } from './intake/sessionintake.js';
import { refuseMalformed, refuseWithConnection } from './refuseconnection.js';
import { Newcomers } from './newcomers.js';
import { CHECK_INTERVAL_MS } from './sessions.js';
import { createStalls } from './stalls.js';
import { upgradeExchange } from './upgradeexchange.js';

export interface ListenerOptions {
  /** An IP address. */
  readonly address: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly tls: Pick<SecureContextOptions, 'key' | 'cert'>;
  /**
   * Whether to request client certificates, of any authority: authorities change, and OpenSSL closes connections over
   * an authority of the same name with another key. Certificates are verified for each request.
   */
  readonly clientCertificates: boolean;
  readonly handler: Handler;
  /** Whether the handler is given Node's own objects over HTTP/2 too, as one needs that pipes requests; they cost more. */
  readonly nodeObjects?: boolean;
  /** Called with errors of the handler; they only close its own connection. */
  readonly failed: (error: unknown) => void;
  /** Handles requests for another protocol; absent: only WebSockets are supported. */
  readonly upgrades?: typeof upgradeExchange;
  /**
   * Maximum number of streams of an HTTP/2 connection, watches included; for more, clients open another connection or
   * wait. Absent: as many as kube-apiserver allows aggregated servers, to which it forwards all requests over few
   * connections.
   */
  readonly streamsPerConnection?: number;
  /** Notified of each new connection. */
  readonly newcomers?: Newcomers;
  /** For a whole request, body included, in ms; 0: without end. Absent: a minute. */
  readonly requestTimeoutMs?: number;
}

export interface Listener {
  /** The port in use. */
  readonly port: number;
  /** Connections from now on get this certificate; open ones keep theirs. */
  setCertificate(tls: ListenerOptions['tls']): void;
  /**
   * From now on HTTP/1.1 clients have to open a new connection for their next request; all requests are still served.
   */
  leave(): void;
  /**
   * Stops accepting connections and sends clients elsewhere. Requests in flight finish, and later ones on open
   * connections are still handled. Resolves when all connections are closed, at the latest after `timeoutMs`, when the
   * rest is aborted.
   */
  drain(timeoutMs: number): Promise<void>;
}

const MIB = 1024 * 1024;
/** Limits of the resources of one client; those of kube-apiserver if it has them. */
const LIMITS = {
  /** Over HTTP/1.1. */
  headerBytes: MIB,
  streamsPerConnection: 1000,
  /** Pipelined requests of an HTTP/1.1 client before the answer to the first. */
  requestsInLine: 100,
  /** Of a body that is not read yet, in bytes. */
  bodyWindow: 256 * 1024,
  /** In MiB, of nghttp2 for one connection. */
  sessionMemory: 64,
  /** Above the streams per connection, as clients cancel all of theirs at once when they end. */
  resetBurst: 2000,
  resetsPerSecond: 200,
} as const;
const HANDSHAKE_MS = 10_000;
const HEADERS_MS = 32_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 90_000;
/** Finds peers that vanished below open watches. */
const KEEPALIVE_MS = 30_000;

/**
 * Serves HTTP/2 and HTTP/1.1 with TLS on one port. Resolves once it listens; rejects with the system's error
 * (`EADDRINUSE`, `EACCES`, …), and with OpenSSL's for a bad certificate.
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createServer(options);
  const stalls = createStalls();
  const connections = new Connections(stalls);
  const timer = setInterval(() => {
    const now = performance.now();
    stalls.check(now);
    connections.checkAll(now);
  }, CHECK_INTERVAL_MS).unref();
  server.once('close', () => clearInterval(timer));
  checkTap();
  accept(server, connections, options);
  const serve = (exchange: Exchange): void => {
    options.handler(exchange).catch((error: unknown) => {
      options.failed(error);
      exchange.end.cut();
    });
  };
  const take = (request: Exchange['request'], response: ServerResponse, goOn: boolean): void => {
    if (isLost(request) || isAfterLast(request)) return;
    const fault = faultOf(request);
    if (fault !== undefined && isOtherProtocol(request))
      return refuseWithConnection(request.socket, fault, request.method);
    if (goOn && fault === undefined) response.writeContinue();
    const end = connections.begin(request, response);
    const proved = (): void => connections.proved(request);
    const exchange = { request, response, end, proved, slot: undefined };
    inTurn(connections, exchange, fault === undefined ? serve : (refused) => refuseRequest(refused, fault));
  };
  server.on('request', (request: Exchange['request'], response: ServerResponse) =>
    take(request, response, false),
  );
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (request: Exchange['request'], response: ServerResponse) =>
      take(request, response, true),
    );
  takeUpgrades(server, connections, serve, options);
  refuseMalformed(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.address, port: options.port, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Workers of one server would share keys otherwise, and each knows only certificates of handshakes of its own.
  server.setTicketKeys(randomBytes(48));
  return {
    port: listeningPort(server),
    setCertificate: (tls) => server.setSecureContext(secureContext(tls)),
    leave: () => connections.leave(),
    drain: (timeoutMs) => drain(server, connections, timeoutMs),
  };
}

function accept(server: Http2SecureServer, connections: Connections, options: ListenerOptions): void {
  const { newcomers = new Newcomers(), failed } = options;
  // The one listener of Node's own, which begins TLS as soon as there is a connection.
  const [beginTls] = server.listeners('connection');
  server.removeAllListeners('connection');
  const handshakes = new Handshakes(newcomers, (socket) => void beginTls?.call(server, socket));
  server.on('connection', (socket: Socket) => {
    connections.addSocket(socket);
    handshakes.add(socket);
  });
  let secured: TLSSocket | undefined;
  // Before Node's own listener, which makes the session.
  server.prependListener('secureConnection', (socket) => (secured = socket));
  server.on('secureConnection', (socket) => {
    socket.setKeepAlive(true, KEEPALIVE_MS);
    socket.setNoDelay(true);
    keepParsing(socket);
    letPause(socket);
    connections.addSecured(socket);
  });
  server.on('session', (session) => {
    connections.addSession(session);
    try {
      if (secured !== undefined) checkHeaders(session, secured);
    } catch (error) {
      failed(error);
      session.destroy();
    }
  });
}

function takeUpgrades(
  server: Http2SecureServer,
  connections: Connections,
  serve: (exchange: Exchange) => void,
  { upgrades = upgradeExchange }: ListenerOptions,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // An answer that is under way has the connection.
    if (connections.underWay(socket) > 0) return void socket.destroy();
    const fault = faultOf(request);
    if (fault !== undefined) return refuseWithConnection(socket, fault, request.method);
    continueBeforeUpgrade(request, socket);
    const exchange = upgrades(request, socket, head);
    if (exchange === undefined) return;
    const end = connections.begin(request, exchange.response);
    serve({ ...exchange, end, proved: () => connections.proved(request), slot: undefined });
  });
}

/** Whether the stream was closed before Node emits it; continuing it makes Node throw outside of any request. */
const isLost = (request: Exchange['request'] | Http2ServerRequest): boolean =>
  request.stream !== undefined && (request.stream.closed || request.stream.destroyed);

/** Whether its connection has ended with an earlier answer: nothing more is done for it (RFC 9112, 9.6). */
const isAfterLast = (request: Exchange['request']): boolean =>
  request.httpVersionMajor === 1 && !request.socket.writable;

/** 100, if it is expected, comes before 101 (RFC 9110, 7.8). */
function continueBeforeUpgrade({ headers, httpVersionMinor }: IncomingMessage, socket: Socket): void {
  if (httpVersionMinor > 0 && headers.expect !== undefined) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
}

/**
 * Requests that a client of HTTP/1.1 sends before it has the answer to an earlier one are served one after another, as
 * Go's servers do: answers that cannot be sent yet would hold slots and memory.
 */
function inTurn(connections: Connections, exchange: Exchange, serve: (exchange: Exchange) => void): void {
  const { request, response, end } = exchange;
  // Node assigns the connection to the answer whose turn it is.
  if (request.httpVersionMajor === 2 || response.socket !== null) return serve(exchange);
  if (connections.underWay(request.socket) > LIMITS.requestsInLine) return void request.socket.destroy();
  response.once('socket', () => {
    process.nextTick(() => {
      if (!end.over) serve(exchange);
    });
  });
}

function secureContext(tls: ListenerOptions['tls']): SecureContextOptions {
  // Without an empty list Node trusts its own authorities.
  return { ...tls, ca: [], minVersion: 'TLSv1.2' };
}

/** Replace Node's own classes, with the same constructor arguments. */
const LEAN_OBJECTS = {
  Http2ServerRequest: Http2Request as typeof Http2ServerRequest,
  Http2ServerResponse: Http2Response as unknown as typeof Http2ServerResponse,
};

function createServer(options: ListenerOptions): Http2SecureServer {
  const settings = {
    ...secureContext(options.tls),
    allowHTTP1: true,
    handshakeTimeout: HANDSHAKE_MS,
    requestCert: options.clientCertificates,
    // Certificates are verified for each request.
    rejectUnauthorized: false,
    // Read when its handshake begins.
    pauseOnConnect: true,
    maxSessionMemory: LIMITS.sessionMemory,
    // More than are taken, so that a request with one more can be refused.
    maxHeaderListPairs: HEADER_FIELDS + 1,
    settings: {
      maxConcurrentStreams: options.streamsPerConnection ?? LIMITS.streamsPerConnection,
      maxHeaderListSize: HEADER_LIST_BYTES,
      initialWindowSize: LIMITS.bodyWindow,
      enablePush: false,
    },
    ...(options.nodeObjects !== true && LEAN_OBJECTS),
    // Node 22.10 and newer; older releases have these protections with nghttp2's own numbers.
    streamResetBurst: LIMITS.resetBurst,
    streamResetRate: LIMITS.resetsPerSecond,
  };
  const server = createSecureServer(settings);
  // The HTTP/1.1 half reads these members of its server.
  return Object.assign(server, {
    maxHeaderSize: LIMITS.headerBytes,
    headersTimeout: HEADERS_MS,
    requestTimeout: options.requestTimeoutMs ?? REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeadersCount: HEADER_FIELDS + 1,
  });
}

async function drain(server: Http2SecureServer, connections: Connections, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.finish();
  const cut = setTimeout(() => connections.destroy(), timeoutMs);
  await closed;
  clearTimeout(cut);
}
