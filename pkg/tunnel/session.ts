/** This server's end of a tunnel: each request is an HTTP/2 stream that carries HTTP/1.1. */
import { request, type ClientRequest } from 'node:http';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { boundInterim } from '../apimachinery/interimresponses.js';
import { boundReceived } from '../apimachinery/receivedbytes.js';
import type { UpstreamRequest } from '../agent/interface.js';
import { unavailable } from '../agent/refuse.js';
import { timeIn } from '../agent/tunnel/clockpings.js';
import { endWhenSilent } from '../agent/tunnel/pings.js';
import { API_SERVER, CLIENT_ADDRESS, DESTINATION, TUNNEL_LIMITS } from '../agent/tunnel/protocol.js';
import { streamSocket } from '../agent/tunnel/streamsocket.js';
import { cancellation, type Cancel } from './cancel.js';

export interface TunnelSession {
  /** The number of requests and connections in flight. */
  readonly streams: number;
  /** Whether another stream may be opened. */
  readonly hasCapacity: boolean;
  readonly ended: boolean;
  /** The last measured round-trip time, in ms; undefined: not measured yet. */
  readonly latencyMs: number | undefined;
  /** How far the clock of the agent's machine is ahead of this one's, in ms; undefined: the agent does not report it. */
  readonly clockAheadMs: number | undefined;
  /** Begins a request; the caller writes its body. `address`: of the client. */
  send(sent: UpstreamRequest, address: string): ClientRequest;
  /** Opens a connection to the API server of the cluster. Rejects with StatusError 503 where the agent opens none. */
  dial(): Promise<Socket>;
  /** Opens no more streams, and ends when those in flight have. */
  close(): void;
  destroy(): void;
  onEnd(then: () => void): void;
}

/** A request that is not long-lived is aborted after both ends were silent for this time. */
const IDLE_MS = 60_000;
/** Longer than the agent waits for its API server. */
const DIAL_TIMEOUT_MS = 10_000;
/** Connections to the API server are closed this long after the agent begins to shut down. */
const LINGER_MS = 1_000;
const MAX_HEADER_BYTES = 256 * 1024;
/** Of what an agent sends behind a whole response, where nothing is to come. */
const MAX_REST_BYTES = 256 * 1024;
const NO_ERROR = (): void => undefined;

/** A tunnel over one connection, which carries nothing else from now on. */
export class Http2TunnelSession implements TunnelSession {
  private readonly session: ClientHttp2Session;
  private readonly cancel = cancellation();
  /** Connections to the API server. */
  private readonly dialed = new Set<Socket>();
  private openStreams = 0;
  /** The agent has sent GOAWAY. */
  private ending = false;
  private roundTripMs: number | undefined;
  private clockMs: number | undefined;

  constructor(connection: Socket) {
    const session = connect('http://agent', {
      createConnection: () => connection,
      maxSessionMemory: TUNNEL_LIMITS.sessionMemory,
      settings: { enablePush: false, initialWindowSize: TUNNEL_LIMITS.window },
    });
    this.session = session;
    session.on('error', NO_ERROR);
    session.once('close', () => connection.destroy());
    connection.once('close', () => session.destroy());
    endWhenSilent(session, { measured: (ms) => (this.roundTripMs = ms) });
    session.on('ping', (payload: Uint8Array) => {
      const time = timeIn(payload);
      this.clockMs = time === undefined ? undefined : time - Date.now();
    });
    session.once('goaway', () => {
      this.ending = true;
      setTimeout(() => this.dialed.forEach((socket) => socket.destroy()), LINGER_MS).unref();
    });
  }

  get streams(): number {
    return this.openStreams;
  }

  get hasCapacity(): boolean {
    const session = this.session;
    return !this.ending && !session.closed && !session.destroyed && this.openStreams < maxStreams(session);
  }

  get ended(): boolean {
    return this.session.destroyed;
  }

  get latencyMs(): number | undefined {
    return this.roundTripMs;
  }

  get clockAheadMs(): number | undefined {
    return this.clockMs;
  }

  send(sent: UpstreamRequest, address: string): ClientRequest {
    const stream = openStream(this.session, sent, { address, cancel: this.cancel });
    return requestOver(this.counted(stream), sent);
  }

  async dial(): Promise<Socket> {
    const stream = this.counted(this.session.request(TO_API_SERVER));
    const socket = await dialApiServer(stream, this.cancel);
    this.dialed.add(socket);
    socket.once('close', () => this.dialed.delete(socket));
    return socket;
  }

  close(): void {
    this.session.close();
  }

  destroy(): void {
    this.session.destroy();
  }

  onEnd(then: () => void): void {
    this.session.once('close', then);
  }

  private counted<T extends { once(event: 'close', then: () => void): unknown }>(stream: T): T {
    this.openStreams += 1;
    stream.once('close', () => (this.openStreams -= 1));
    return stream;
  }
}

/** The agent may allow fewer streams than this server. */
function maxStreams({ remoteSettings }: ClientHttp2Session): number {
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

/** Why agents refuse a connection. */
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
    method,
    path,
    createConnection: () => connection,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Names and values alternate: Node adds no Host to these.
    headers: ['Host', 'agent', ...headers],
  });
  // An aborted request emits an error even when nobody listens any more.
  made.on('error', NO_ERROR);
  boundInterim(made);
  boundRest(made, connection);
  // Requests that change nothing may be sent again, to another agent.
  made.reusedSocket = method === 'GET' || method === 'HEAD';
  return made;
}

/** Node reads on behind a response, and drops what comes. */
function boundRest(request: ClientRequest, connection: Socket): void {
  request.once('response', (answer) =>
    answer.once('end', () => boundReceived(connection, MAX_REST_BYTES, () => void connection.destroy())),
  );
}
