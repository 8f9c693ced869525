/**
 * Connections of the management API to the API server of the cluster, through tunnels. TLS is between these
 * two: the agent forwards bytes that it cannot read, and adds no credentials.
 */
import type { ServerHttp2Stream } from 'node:http2';
import { connect } from 'node:net';
import { destinationOf, type HostSettings } from '../../hostclient/configuration.js';
import { API_SERVER, DESTINATION } from './protocol.js';

export interface ApiServerConnections {
  /** Answers the stream, then forwards bytes until either end closes. */
  begin(stream: ServerHttp2Stream): void;
}

/** Twice what one management server opens to a cluster, for each of eight servers. */
const MAX_CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 5_000;

/** `settings`: for the API server of the agent's cluster, the only address that is dialed. */
export function apiServerConnections(settings: () => Promise<HostSettings>): ApiServerConnections {
  let open = 0;
  return {
    begin(stream) {
      if (open >= MAX_CONNECTIONS) return refuse(stream, 429);
      open += 1;
      stream.once('close', () => (open -= 1));
      settings().then(
        (now) => (now.proxy === undefined ? pass(stream, now.server) : refuse(stream, 501)),
        () => refuse(stream, 502),
      );
    },
  };
}

function pass(stream: ServerHttp2Stream, server: string): void {
  if (stream.destroyed) return;
  const { host, port } = destinationOf(new URL(server), '');
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  const late = setTimeout(() => socket.destroy(new Error('no answer in time')), CONNECT_TIMEOUT_MS);
  let answered = false;
  stream.once('close', () => socket.destroy());
  socket.once('error', () => (answered ? stream.destroy() : refuse(stream, 502)));
  socket.once('close', () => {
    clearTimeout(late);
    if (answered) stream.destroy();
  });
  socket.once('connect', () => {
    clearTimeout(late);
    if (stream.destroyed) return void socket.destroy();
    answered = true;
    stream.respond({ ':status': 200, [DESTINATION]: API_SERVER });
    stream.pipe(socket);
    socket.pipe(stream);
  });
}

function refuse(stream: ServerHttp2Stream, status: number): void {
  if (!stream.destroyed && !stream.headersSent) stream.respond({ ':status': status }, { endStream: true });
}
