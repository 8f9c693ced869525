import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { Http2ServerRequest, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { UnorderedSet } from '../../apimachinery/unorderedset.js';
import { ExchangeEnd } from './exchangeend.js';
import { sessionTracking } from './sessions.js';
import type { Stalls } from './stalls.js';
import type { Stranger } from './strangers.js';
import { strangerTracking } from './strangers.js';
import { below, isGone, sentOver } from './transport.js';

/** The open connections of a listener and what runs on them. */
export interface Connections {
  addSocket(socket: Socket): void;
  /** TLS over a connection, when its handshake is done. */
  addSecured(secured: TLSSocket): void;
  addSession(session: ServerHttp2Session): void;
  /** Answers the end of the exchange: of its stream, of its answer, or of its connection, whichever comes first. */
  begin(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): ExchangeEnd;
  /** The client of a request has proved who it is: its connection makes room for nobody else's. */
  proved(request: IncomingMessage | Http2ServerRequest): void;
  /** How many exchanges of HTTP/1.1 are under way on a connection. */
  underWay(socket: Socket): number;
  /** From now on each HTTP/1.1 connection ends with the next answer. */
  leave(): void;
  /** From now on each connection ends when its requests under way are answered. */
  finish(): void;
  /** Ends connections that are gone, and those of HTTP/2 that nothing comes of any more. `now` in ms. */
  look(now: number): void;
  /** Cuts off all that is left. */
  destroy(): void;
}

export function connectionTracking(stalls: Pick<Stalls, 'add'>): Connections {
  const sockets = new Set<Socket>();
  const sessions = sessionTracking();
  const exchanges = new WeakMap<Socket, UnorderedSet<ExchangeEnd>>();
  const strangers = strangerTracking();
  /** By connection, by TLS over it, and by session of HTTP/2. */
  const unproved = new WeakMap<object, Connection>();
  let leaving = false;
  let finishing = false;

  /** Of a connection of HTTP/1.1. Node tells answers that stand in line of no end: the connection does. */
  function exchangesOf(socket: Socket): UnorderedSet<ExchangeEnd> {
    const known = exchanges.get(socket);
    if (known !== undefined) return known;
    const made = new UnorderedSet<ExchangeEnd>();
    exchanges.set(socket, made);
    socket.once('close', () => {
      for (const end of made) end.finish();
    });
    return made;
  }

  function beginOnSocket(socket: Socket, response: ServerResponse): ExchangeEnd {
    const end = new ExchangeEnd(
      () => socket.destroy(),
      () => (awaitsClient(response) ? sentOver(socket) : undefined),
    );
    stalls.add({ end, response, stream: undefined, socket });
    const open = exchangesOf(socket);
    open.add(end);
    end.after(() => {
      open.delete(end);
      if (finishing && open.size === 0) socket.end();
    });
    if (leaving) response.setHeader('Connection', 'close');
    response.once('close', () => end.finish());
    if (socket.closed) end.finish();
    return end;
  }

  const underWay = (socket: Socket): number => exchanges.get(socket)?.size ?? 0;

  return {
    addSocket(socket) {
      sockets.add(socket);
      const connection = strangerOn(socket);
      unproved.set(socket, connection);
      strangers.add(connection);
      socket.once('close', () => {
        sockets.delete(socket);
        strangers.delete(connection);
      });
    },
    addSecured(secured) {
      const connection = unproved.get(below(secured) ?? secured);
      if (connection === undefined) return;
      connection.busy = () => underWay(secured) > 0;
      unproved.set(secured, connection);
    },
    addSession(session) {
      sessions.add(session);
      const connection = unproved.get(below(session.socket) ?? session);
      if (connection !== undefined) {
        connection.busy = () => sessions.busy(session);
        unproved.set(session, connection);
      }
      if (finishing) session.close();
    },
    begin(request, response) {
      if (!('stream' in request)) return beginOnSocket(request.socket, response);
      const { stream } = request;
      const end = new ExchangeEnd(
        () => cutStream(stream),
        () => (stream.writableNeedDrain || awaitsClient(response) ? stream.bufferSize : undefined),
      );
      const socket = stream.session?.socket;
      if (socket !== undefined) stalls.add({ end, response, stream, socket });
      // Its response tells no end of a HEAD whose client is gone before the answer.
      stream.once('close', () => end.finish());
      return end;
    },
    proved(request) {
      const key = 'stream' in request ? request.stream.session : request.socket;
      const connection = key && unproved.get(key);
      if (connection === undefined || key === undefined) return;
      unproved.delete(key);
      strangers.delete(connection);
    },
    underWay,
    leave() {
      leaving = true;
    },
    finish() {
      leaving = finishing = true;
      sessions.close();
    },
    look(now) {
      sessions.look(now);
      for (const socket of sockets) if (isGone(socket)) socket.destroy();
    },
    destroy() {
      sessions.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
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
type Connection = Stranger & { busy: Stranger['busy'] };

const strangerOn = (socket: Socket): Connection => ({
  remoteAddress: socket.remoteAddress,
  busy: () => false,
  destroy: () => void socket.destroy(),
});
