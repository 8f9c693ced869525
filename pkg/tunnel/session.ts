/** This server's end of a tunnel: each request is a stream of its own, over which HTTP/1.1 is spoken. */
import { request } from 'node:http';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { UpstreamRequest } from '../agent/interface.js';
import { unavailable } from '../agent/refuse.js';
import { timeIn } from '../agent/tunnel/clockpings.js';
import { endWhenSilent } from '../agent/tunnel/pings.js';
import { API_SERVER, CLIENT_ADDRESS, DESTINATION, TUNNEL_LIMITS } from '../agent/tunnel/protocol.js';
import { streamSocket } from '../agent/tunnel/streamsocket.js';
import { cancellation } from './cancel.js';
import type { Cancel } from './cancel.js';

export interface TunnelSession {
  /** How many requests are under way in it. */
  readonly streams: number;
  /** Whether another may begin. */
  readonly takes: boolean;
  readonly ended: boolean;
  /** Round-trip time, in ms, as it was measured last; undefined: not yet. */
  readonly latencyMs: number | undefined;
  /** What the clock of the agent's machine is ahead of this one's, in ms; undefined: it does not tell. */
  readonly clockAheadMs: number | undefined;
  /** Nothing of a body is sent yet. `address`: of the client. */
  send(sent: UpstreamRequest, address: string): ClientRequest;
  /** A connection to the API server of the cluster. Rejects with StatusError 503 where the agent makes none. */
  dial(): Promise<Socket>;
  /** Takes no more; ends when those under way have. */
  close(): void;
  destroy(): void;
  onEnd(then: () => void): void;
}

/** What does not last is given up when neither end has said anything for so long. */
const IDLE_MS = 60_000;
const DIAL_TIMEOUT_MS = 5_000;
/** What is said over connections to the API server is cut off so long after the agent begins to end. */
const LINGER_MS = 1_000;
const MOST_HEADER_BYTES = 256 * 1024;
const NO_ERROR = (): void => undefined;

/** `connection`: from which HTTP/2 is answered from now on. */
export function tunnelSession(connection: Socket): TunnelSession {
  const session = connect('http://agent', {
    createConnection: () => connection,
    maxSessionMemory: TUNNEL_LIMITS.sessionMemory,
    settings: { enablePush: false, initialWindowSize: TUNNEL_LIMITS.window },
  });
  session.on('error', NO_ERROR);
  session.once('close', () => connection.destroy());
  connection.once('close', () => session.destroy());
  let latencyMs: number | undefined;
  endWhenSilent(session, { measured: (ms) => (latencyMs = ms) });
  let clockAheadMs: number | undefined;
  session.on('ping', (payload: Uint8Array) => {
    const time = timeIn(payload);
    clockAheadMs = time === undefined ? undefined : time - Date.now();
  });
  const cancel = cancellation();
  let streams = 0;
  let ending = false;
  const dialed = new Set<Socket>();
  session.once('goaway', () => {
    ending = true;
    setTimeout(() => dialed.forEach((socket) => socket.destroy()), LINGER_MS).unref();
  });
  const counted = <T extends { once(event: 'close', then: () => void): unknown }>(stream: T): T => {
    streams += 1;
    stream.once('close', () => (streams -= 1));
    return stream;
  };
  return {
    get streams() {
      return streams;
    },
    get takes() {
      return !ending && !session.closed && !session.destroyed && streams < mostOf(session);
    },
    get ended() {
      return session.destroyed;
    },
    get latencyMs() {
      return latencyMs;
    },
    get clockAheadMs() {
      return clockAheadMs;
    },
    send(sent, address) {
      return requestOver(counted(openStream(session, sent, { address, cancel })), sent);
    },
    async dial() {
      const socket = await dialApiServer(counted(session.request(TO_API_SERVER)), cancel);
      dialed.add(socket);
      socket.once('close', () => dialed.delete(socket));
      return socket;
    },
    close: () => session.close(),
    destroy: () => session.destroy(),
    onEnd: (then) => void session.once('close', then),
  };
}

/** The agent may take fewer. */
function mostOf({ remoteSettings }: ClientHttp2Session): number {
  return Math.min(remoteSettings.maxConcurrentStreams ?? TUNNEL_LIMITS.streams, TUNNEL_LIMITS.streams);
}

function openStream(
  session: ClientHttp2Session,
  { lasting }: UpstreamRequest,
  { address, cancel }: { readonly address: string; readonly cancel: Cancel },
): Socket {
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'agent', [CLIENT_ADDRESS]: address });
  stream.on('error', NO_ERROR);
  stream.once('response', ({ ':status': status }) => {
    if (status !== 200) stream.destroy(new Error('the agent takes no stream'));
  });
  if (!lasting) stream.setTimeout(IDLE_MS, () => stream.destroy(new Error('no answer in time')));
  return streamSocket(stream, { cancel });
}

const TO_API_SERVER = { ':method': 'CONNECT', ':authority': 'agent', [DESTINATION]: API_SERVER };

/** What agents answer, in words. An agent of an earlier release answers 200, as to a request of a user. */
const REFUSALS: Readonly<Record<number, string>> = {
  429: 'the agent has too many connections to the API server',
  501: 'the agent reaches the API server through a proxy, which no connection can be made through',
  502: 'the agent cannot reach the API server of the cluster',
};
const NOT_ENABLED = 'the agent forwards no connections to the API server: start it with --tunnel-api-server';

function dialApiServer(stream: ClientHttp2Stream, cancel: Cancel): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      stream.destroy();
      reject(unavailable(why));
    };
    const late = setTimeout(() => fail('the agent does not answer'), DIAL_TIMEOUT_MS);
    stream.on('error', NO_ERROR);
    stream.once('close', () => {
      clearTimeout(late);
      fail('the agent of the cluster has ended the connection');
    });
    stream.once('response', ({ ':status': status = 0, [DESTINATION]: destination }) => {
      clearTimeout(late);
      if (status === 200 && destination === API_SERVER) resolve(streamSocket(stream, { cancel }));
      else fail(REFUSALS[status] ?? NOT_ENABLED);
    });
  });
}

function requestOver(connection: Socket, { method, path, headers }: UpstreamRequest): ClientRequest {
  const made = request({
    ...{ method, path, createConnection: () => connection, maxHeaderSize: MOST_HEADER_BYTES },
    // Names and values in turn: Node adds no Host to these.
    headers: ['Host', 'agent', ...headers],
  });
  // One that is given up says so, also where nobody listens any more.
  made.on('error', NO_ERROR);
  // What changes nothing may be asked of another agent.
  made.reusedSocket = method === 'GET' || method === 'HEAD';
  return made;
}
