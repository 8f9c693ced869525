import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { Http2ServerRequest, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import { ExchangeEnd } from './exchangeend.js';
import { sessionTracking } from './sessions.js';
import type { Stalls } from './stalls.js';
import type { UnauthenticatedConnection } from './unauthenticatedconnections.js';
import { limitUnauthenticated } from './unauthenticatedconnections.js';
import { below, isGone, sentOver } from './transport.js';

/** The open connections of a listener and what runs on them. */
export class Connections {
  readonly #stalls: Pick<Stalls, 'add'>;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = sessionTracking();
  readonly #exchanges = new WeakMap<Socket, UnorderedSet<ExchangeEnd>>();
  readonly #strangers = limitUnauthenticated();
  /** By connection, by TLS over it, and by session of HTTP/2. */
  readonly #unproved = new WeakMap<object, Connection>();
  #leaving = false;
  #finishing = false;

  constructor(stalls: Pick<Stalls, 'add'>) {
    this.#stalls = stalls;
  }

  addSocket(socket: Socket): void {
    this.#sockets.add(socket);
    const connection = strangerOn(socket);
    this.#unproved.set(socket, connection);
    this.#strangers.add(connection);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#strangers.delete(connection);
    });
  }

  /** TLS over a connection, when its handshake is done. */
  addSecured(secured: TLSSocket): void {
    const connection = this.#unproved.get(below(secured) ?? secured);
    if (connection === undefined) return;
    connection.busy = () => this.underWay(secured) > 0;
    this.#unproved.set(secured, connection);
  }

  addSession(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    const connection = this.#unproved.get(below(session.socket) ?? session);
    if (connection !== undefined) {
      connection.busy = () => this.#sessions.busy(session);
      this.#unproved.set(session, connection);
    }
    if (this.#finishing) session.close();
  }

  /** Answers the end of the exchange: of its stream, of its answer, or of its connection, whichever comes first. */
  begin(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): ExchangeEnd {
    if (!('stream' in request)) return this.#beginOnSocket(request.socket, response);
    const { stream } = request;
    const end = new ExchangeEnd(
      () => cutStream(stream),
      () => (stream.writableNeedDrain || awaitsClient(response) ? stream.bufferSize : undefined),
    );
    const socket = stream.session?.socket;
    if (socket !== undefined) this.#stalls.add({ end, response, stream, socket });
    // Its response tells no end of a HEAD whose client is gone before the answer.
    stream.once('close', () => end.finish());
    return end;
  }

  /** The client of a request has proved who it is: its connection makes room for nobody else's. */
  proved(request: IncomingMessage | Http2ServerRequest): void {
    const key = 'stream' in request ? request.stream.session : request.socket;
    const connection = key && this.#unproved.get(key);
    if (connection === undefined || key === undefined) return;
    this.#unproved.delete(key);
    this.#strangers.delete(connection);
  }

  /** How many exchanges of HTTP/1.1 are under way on a connection. */
  underWay(socket: Socket): number {
    return this.#exchanges.get(socket)?.size ?? 0;
  }

  /** From now on each HTTP/1.1 connection ends with the next answer. */
  leave(): void {
    this.#leaving = true;
  }

  /** From now on each connection ends when its requests under way are answered. */
  finish(): void {
    this.#leaving = this.#finishing = true;
    this.#sessions.close();
  }

  /** Ends connections that are gone, and those of HTTP/2 that nothing comes of any more. `now` in ms. */
  look(now: number): void {
    this.#sessions.look(now);
    for (const socket of this.#sockets) if (isGone(socket)) socket.destroy();
  }

  /** Cuts off all that is left. */
  destroy(): void {
    this.#sessions.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #beginOnSocket(socket: Socket, response: ServerResponse): ExchangeEnd {
    const end = new ExchangeEnd(
      () => socket.destroy(),
      () => (awaitsClient(response) ? sentOver(socket) : undefined),
    );
    this.#stalls.add({ end, response, stream: undefined, socket });
    const open = this.#exchangesOf(socket);
    open.add(end);
    end.after(() => {
      open.delete(end);
      if (this.#finishing && open.size === 0) socket.end();
    });
    if (this.#leaving) response.setHeader('Connection', 'close');
    response.once('close', () => end.finish());
    if (socket.closed) end.finish();
    return end;
  }

  /** Of a connection of HTTP/1.1. Node tells answers that stand in line of no end: the connection does. */
  #exchangesOf(socket: Socket): UnorderedSet<ExchangeEnd> {
    const known = this.#exchanges.get(socket);
    if (known !== undefined) return known;
    const made = new UnorderedSet<ExchangeEnd>();
    this.#exchanges.set(socket, made);
    socket.once('close', () => {
      for (const end of made) end.finish();
    });
    return made;
  }
}

/** Whether what the server has to say is said, as far as it can be before the client takes some of it. */
const awaitsClient = (response: ServerResponse): boolean =>
  response.headersSent && (response.writableEnded || response.writableNeedDrain);

/** With a code that tells a client that its answer is not whole; without one a stream ends as if it were. */
function cutStream(stream: ServerHttp2Stream): void {
  if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
  stream.destroy();
}

/** What runs over it is known later. */
type Connection = UnauthenticatedConnection & { busy: UnauthenticatedConnection['busy'] };

const strangerOn = (socket: Socket): Connection => ({
  remoteAddress: socket.remoteAddress,
  busy: () => false,
  destroy: () => void socket.destroy(),
});
