import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { ExchangeEnd } from './exchangeend.js';
import { sessionTracking } from './sessions.js';
import type { Stalls } from './stalls.js';

/** The open connections of a listener and what runs on them. */
export interface Connections {
  addSocket(socket: Socket): void;
  addSession(session: ServerHttp2Session): void;
  /** Answers the end of the exchange: of its stream, of its answer, or of its connection, whichever comes first. */
  begin(request: IncomingMessage | Http2ServerRequest, response: ServerResponse): ExchangeEnd;
  /** How many exchanges of HTTP/1.1 are under way on a connection. */
  underWay(socket: Socket): number;
  /** From now on each HTTP/1.1 connection ends with the next answer. */
  leave(): void;
  /** From now on each connection ends when its requests under way are answered. */
  finish(): void;
  /** Ends HTTP/2 connections that nothing comes of any more. `now` in ms. */
  look(now: number): void;
  /** Cuts off all that is left. */
  destroy(): void;
}

export function connectionTracking(stalls: Pick<Stalls, 'add'>): Connections {
  const sockets = new Set<Socket>();
  const sessions = sessionTracking();
  const exchanges = new WeakMap<Socket, Set<ExchangeEnd>>();
  let leaving = false;
  let finishing = false;

  /** Of a connection of HTTP/1.1. Node tells answers that stand in line of no end: the connection does. */
  function exchangesOf(socket: Socket): Set<ExchangeEnd> {
    const known = exchanges.get(socket);
    if (known !== undefined) return known;
    const made = new Set<ExchangeEnd>();
    exchanges.set(socket, made);
    socket.once('close', () => {
      for (const end of made) end.finish();
    });
    return made;
  }

  function beginOnSocket(socket: Socket, response: ServerResponse): ExchangeEnd {
    const end = new ExchangeEnd(() => socket.destroy());
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

  return {
    addSocket(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    addSession(session) {
      sessions.add(session);
      if (finishing) session.close();
    },
    begin(request, response) {
      if (!('stream' in request)) return beginOnSocket(request.socket, response);
      const { stream } = request;
      const end = new ExchangeEnd(() => stream.destroy());
      const socket = stream.session?.socket;
      if (socket !== undefined) stalls.add({ end, response, stream, socket });
      // Its response tells no end of a HEAD whose client is gone before the answer.
      stream.once('close', () => end.finish());
      return end;
    },
    underWay: (socket) => exchanges.get(socket)?.size ?? 0,
    leave() {
      leaving = true;
    },
    finish() {
      leaving = finishing = true;
      sessions.close();
    },
    look: (now) => sessions.look(now),
    destroy() {
      sessions.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}
