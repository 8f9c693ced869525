import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  type Http2ServerRequest,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import { ExchangeEnd } from '../exchangeend.js';
import { sessionTracking } from './sessions.js';
import type { Stalls } from './stalls.js';
import { limitUnauthenticated, type UnauthenticatedConnection } from './unauthenticatedconnections.js';
import { below, isGone, sentOver } from './transport.js';

/** The open connections of a listener and the exchanges on them. */
export class Connections {
  private readonly stalls: Pick<Stalls, 'add'>;
  private readonly sockets = new Set<Socket>();
  private readonly sessions = sessionTracking();
  private readonly exchanges = new WeakMap<Socket, UnorderedSet<ExchangeEnd>>();
  private readonly strangers = limitUnauthenticated();
  /** By connection, by TLS over it, and by session of HTTP/2. */
  private readonly unproved = new WeakMap<object, Connection>();
  private leaving = false;
  private finishing = false;

  constructor(stalls: Pick<Stalls, 'add'>) {
    this.stalls = stalls;
  }

  addSocket(socket: Socket): void {
    this.sockets.add(socket);
    const connection = strangerOn(socket);
    this.unproved.set(socket, connection);
    this.strangers.add(connection);
    socket.once('close', () => {
      this.sockets.delete(socket);
      this.strangers.delete(connection);
    });
  }

  /** TLS over a connection, when its handshake is done. */
  addSecured(secured: TLSSocket): void {
    const connection = this.unproved.get(below(secured) ?? secured);
    if (connection === undefined) return;
    connection.busy = () => this.underWay(secured) > 0;
    this.unproved.set(secured, connection);
  }

  addSession(session: ServerHttp2Session): void {
    this.sessions.add(session);
    const connection = this.unproved.get(below(session.socket) ?? session);
    if (connection !== undefined) {
      connection.busy = () => this.sessions.busy(session);
      this.unproved.set(session, connection);
    }
    if (this.finishing) session.close();
  }

  /** Answers the end of the exchange: of its stream, of its answer, or of its connection, whichever comes first. */
  begin(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): ExchangeEnd {
    if (!('stream' in request)) return this.beginOnSocket(request.socket, response);
    const { stream } = request;
    const end = new ExchangeEnd(
      () => cutStream(stream),
      () => (stream.writableNeedDrain || awaitsClient(response) ? stream.bufferSize : undefined),
    );
    const socket = stream.session?.socket;
    if (socket !== undefined) this.stalls.add({ end, response, stream, socket });
    // The response to a HEAD has no end event if the client disconnects before.
    stream.once('close', () => end.finish());
    return end;
  }

  /** Marks the connection of an authenticated request, so that it is not closed in favour of others. */
  proved(request: IncomingMessage | Http2ServerRequest): void {
    const key = 'stream' in request ? request.stream.session : request.socket;
    const connection = key && this.unproved.get(key);
    if (connection === undefined || key === undefined) return;
    this.unproved.delete(key);
    this.strangers.delete(connection);
  }

  /** The number of exchanges of HTTP/1.1 in flight on a connection. */
  underWay(socket: Socket): number {
    return this.exchanges.get(socket)?.size ?? 0;
  }

  /** From now on each HTTP/1.1 connection ends with the next answer. */
  leave(): void {
    this.leaving = true;
  }

  /** From now on each connection ends when its requests under way are answered. */
  finish(): void {
    this.leaving = this.finishing = true;
    this.sessions.close();
  }

  /** Closes dead connections, and idle ones of HTTP/2. `now` in ms. */
  checkAll(now: number): void {
    this.sessions.checkAll(now);
    for (const socket of this.sockets) if (isGone(socket)) socket.destroy();
  }

  /** Cuts off all that is left. */
  destroy(): void {
    this.sessions.destroy();
    for (const socket of this.sockets) socket.destroy();
  }

  private beginOnSocket(socket: Socket, response: ServerResponse): ExchangeEnd {
    const end = new ExchangeEnd(
      () => socket.destroy(),
      () => (awaitsClient(response) ? sentOver(socket) : undefined),
    );
    this.stalls.add({ end, response, stream: undefined, socket });
    const open = this.exchangesOf(socket);
    open.add(end);
    end.after(() => {
      open.delete(end);
      if (this.finishing && open.size === 0) socket.end();
    });
    if (this.leaving) response.setHeader('Connection', 'close');
    response.once('close', () => end.finish());
    if (socket.closed) end.finish();
    return end;
  }

  /** The exchanges of an HTTP/1.1 connection. Node emits no end for queued answers, so the connection does. */
  private exchangesOf(socket: Socket): UnorderedSet<ExchangeEnd> {
    const known = this.exchanges.get(socket);
    if (known !== undefined) return known;
    const made = new UnorderedSet<ExchangeEnd>();
    this.exchanges.set(socket, made);
    socket.once('close', () => {
      for (const end of made) end.finish();
    });
    return made;
  }
}

/** Whether the server has written all it can until the client reads some of it. */
const awaitsClient = (response: ServerResponse): boolean =>
  response.headersSent && (response.writableEnded || response.writableNeedDrain);

/** Uses an error code, as without one the client would take the answer for complete. */
function cutStream(stream: ServerHttp2Stream): void {
  if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  stream.destroy();
}

/** `busy` is set later. */
type Connection = UnauthenticatedConnection & { busy: UnauthenticatedConnection['busy'] };

const strangerOn = (socket: Socket): Connection => ({
  remoteAddress: socket.remoteAddress,
  busy: () => false,
  destroy: () => void socket.destroy(),
});
