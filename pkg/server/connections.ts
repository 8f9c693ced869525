import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** The open connections of a listener and what runs on them. */
export interface Connections {
  addSocket(socket: Socket): void;
  addSession(session: ServerHttp2Session): void;
  begin(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse): void;
  /** From now on each HTTP/1.1 connection ends with the next answer. */
  leave(): void;
  /** From now on each connection ends when its requests under way are answered. */
  finish(): void;
  /** Cuts off all that is left. */
  destroy(): void;
}

export function connectionTracking(): Connections {
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  /** HTTP/1.1 connections with the number of their requests under way. */
  const busy = new Map<Socket, number>();
  let leaving = false;
  let finishing = false;

  const ended = (socket: Socket): void => {
    const left = (busy.get(socket) ?? 1) - 1;
    if (left > 0) busy.set(socket, left);
    else busy.delete(socket);
    if (finishing && left <= 0) socket.end();
  };
  return {
    addSocket(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    },
    addSession(session) {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      if (finishing) session.close();
    },
    begin(request, response) {
      if (request.httpVersionMajor === 2) return;
      const socket = request.socket;
      busy.set(socket, (busy.get(socket) ?? 0) + 1);
      if (leaving) response.setHeader('Connection', 'close');
      response.once('close', () => ended(socket));
    },
    leave() {
      leaving = true;
    },
    finish() {
      leaving = finishing = true;
      for (const session of sessions) session.close();
    },
    destroy() {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}
