/**
 * Unary calls of gRPC on an HTTP/2 connection of our own. For the two calls of each write: those of the package take
 * twice the CPU. It goes straight to the endpoint, also where the environment names a proxy.
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { IOptions } from 'etcd3';

export interface RpcConnection {
  /** Whether a call would be sent at once, to a peer that has answered. Opens the connection, if there is none. */
  ready(): boolean;
  /**
   * Waits for the connection. Rejects with an Error whose text is that of the package's errors, `<code> <NAME>: <details>`:
   * after `deadlineMs` and for a connection that breaks, when it is unknown what etcd did, and for a refusal of etcd.
   * @param method `/etcdserverpb.KV/Range`
   * @param message shorter than 4 GiB
   */
  call(method: string, message: Uint8Array, deadlineMs: number): Promise<Buffer>;
  close(): void;
}

/** The codes of gRPC, by number. */
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const INTERNAL = 13;
const UNAVAILABLE = 14;

/** A compression flag, which must be 0, and four bytes of length. */
const PREFIX_BYTES = 5;
/** In MB. A failed batch reads back up to 62 values, and the connection counts what it holds. */
const SESSION_MEMORY = 200;

/** More than the deadline of any call. */
const RETIRED_MS = 5_000;
/** A firewall that forgets an idle connection would make the next call wait for its deadline. */
const KEEPALIVE_MS = 10_000;

/** @param maxBytes of an answer */
export function rpcConnection(
  url: string,
  credentials: IOptions['credentials'],
  maxBytes: number,
): RpcConnection {
  const open = new Set<Connection>();
  let current: Connection | undefined;

  function connection(): Connection {
    if (current?.usable === true) return current;
    const opened = (current = new Connection(url, credentials));
    open.add(opened);
    opened.socket.once('close', () => open.delete(opened));
    return opened;
  }

  return {
    ready: () => connection().answers,
    call(method, message, deadlineMs) {
      const asked = connection();
      return new Promise((resolve, reject) => {
        const lost = (error: Error): void => {
          asked.retire();
          reject(error);
        };
        const stream = asked.session.request(headersOf(method, deadlineMs));
        new Answer(stream, { maxBytes, deadlineMs }, { resolve, reject, lost });
        stream.end(framed(message));
      });
    },
    close() {
      for (const one of open) one.end();
    },
  };
}

/** A session, and its socket: a session that is destroyed waits for the peer before it closes the socket. */
class Connection {
  readonly socket: Socket;
  readonly session: ClientHttp2Session;
  /** Whether the peer has sent its settings: who accepts a connection need not be etcd, or awake. */
  answers = false;

  constructor(url: string, credentials: IOptions['credentials']) {
    const socket = (this.socket = socketTo(new URL(url), credentials));
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.setKeepAlive(true, KEEPALIVE_MS));
    this.session = connect(url, { maxSessionMemory: SESSION_MEMORY, createConnection: () => socket });
    this.session.on('error', () => undefined);
    this.session.once('remoteSettings', () => (this.answers = true));
  }

  /** Whether it takes calls. */
  get usable(): boolean {
    return !this.session.closed && !this.session.destroyed;
  }

  /** The peer may have disappeared: later calls take another connection, those under way may still be answered. */
  retire(): void {
    if (this.session.connecting) return this.end();
    this.session.close();
    setTimeout(() => this.end(), RETIRED_MS).unref();
  }

  end(): void {
    this.session.destroy();
    this.socket.destroy();
  }
}

function socketTo({ protocol, hostname, port }: URL, credentials: IOptions['credentials']): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') return connectPlain({ host, port: Number(port || 80) });
  const { rootCertificate: ca, certChain: cert, privateKey } = credentials ?? {};
  return connectTls({
    host,
    port: Number(port || 443),
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(privateKey && { key: privateKey }),
  });
}

const headersOf = (method: string, deadlineMs: number) => ({
  ':method': 'POST',
  ':path': method,
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-timeout': `${Math.max(1, Math.ceil(deadlineMs))}m`,
});

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

interface Outcome {
  resolve(answer: Buffer): void;
  reject(error: Error): void;
  /** The connection may be dead. */
  lost(error: Error): void;
}

interface AnswerLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

/** What arrives on the stream of one call. */
class Answer {
  private readonly pieces: Buffer[] = [];
  private size = 0;
  private status: Pick<IncomingHttpHeaders, string> = {};
  /** Why it was ended here; `late`: at its deadline. */
  private ended: { readonly error: Error; readonly late: boolean } | undefined;

  constructor(stream: ClientHttp2Stream, { maxBytes, deadlineMs }: AnswerLimits, outcome: Outcome) {
    const end = (error: Error, late: boolean): void => {
      this.ended ??= { error, late };
      stream.close(constants.NGHTTP2_CANCEL);
      // Closing waits for the connection, and for what is being written to it.
      if (late) stream.destroy();
    };
    const timer = setTimeout(() => end(failed(DEADLINE_EXCEEDED, 'Deadline exceeded'), true), deadlineMs);
    stream.on('data', (piece: Buffer) => {
      this.size += piece.length;
      this.pieces.push(piece);
      if (this.size > maxBytes)
        end(
          failed(RESOURCE_EXHAUSTED, `Received message larger than max (${this.size} vs. ${maxBytes})`),
          false,
        );
    });
    // An answer without a message has its status in the headers.
    stream.on('response', (headers) => (this.status = headers));
    stream.on('trailers', (trailers) => (this.status = trailers));
    stream.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(timer);
      if (this.ended !== undefined)
        return this.ended.late ? outcome.lost(this.ended.error) : outcome.reject(this.ended.error);
      const message = this.message();
      const error = this.failure(message);
      if (error === undefined) outcome.resolve(message.subarray(PREFIX_BYTES));
      else if (this.status['grpc-status'] === undefined) outcome.lost(error);
      else outcome.reject(error);
    });
  }

  private failure(message: Buffer): Error | undefined {
    const { 'grpc-status': code, 'grpc-message': details } = this.status;
    if (code === undefined) return failed(UNAVAILABLE, 'the connection ended before the answer');
    if (code !== '0') return failed(Number(code), decoded(String(details ?? '')));
    const whole = message.length >= PREFIX_BYTES && message.readUInt32BE(1) === message.length - PREFIX_BYTES;
    return whole && message[0] === 0
      ? undefined
      : failed(INTERNAL, 'an answer that is not one whole message');
  }

  private message(): Buffer {
    const [first] = this.pieces;
    return this.pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.pieces);
  }
}

const failed = (code: number, details: string): Error =>
  new Error(`${code} ${CODES[code] ?? 'UNKNOWN'}: ${details}`);

/** The text of `grpc-message`, which is percent-encoded; as it is where it is not. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
