/**
 * Unary calls of gRPC on an HTTP/2 connection of our own. For the two calls of each write: those of the package take
 * twice the CPU.
 */
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { IOptions } from 'etcd3';

export interface RpcConnection {
  /** Whether a call would be sent at once. Opens the connection, if there is none. */
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
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE'],
  ...['UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
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

/** @param maxBytes of an answer */
export function rpcConnection(
  url: string,
  credentials: IOptions['credentials'],
  maxBytes: number,
): RpcConnection {
  const { rootCertificate: ca, certChain: cert, privateKey } = credentials ?? {};
  let session: ClientHttp2Session | undefined;

  function open(): ClientHttp2Session {
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const opened = connect(url, {
      maxSessionMemory: SESSION_MEMORY,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(privateKey && { key: privateKey }),
    });
    opened.on('error', () => undefined);
    session = opened;
    return opened;
  }

  return {
    ready: () => !open().connecting,
    call(method, message, deadlineMs) {
      const asked = open();
      return new Promise((resolve, reject) => {
        const lost = (error: Error): void => {
          retire(asked);
          reject(error);
        };
        // Throws for a session that is about to close.
        const stream = asked.request(headersOf(method, deadlineMs));
        new Answer(stream, { maxBytes, deadlineMs }, { resolve, reject, lost });
        stream.end(framed(message));
      });
    },
    close: () => session?.destroy(),
  };
}

/** The peer may have disappeared: later calls take a new connection, those under way may still be answered. */
function retire(session: ClientHttp2Session): void {
  if (session.connecting) return session.destroy();
  session.close();
  setTimeout(() => session.destroy(), RETIRED_MS).unref();
}

const headersOf = (method: string, deadlineMs: number) => ({
  ':method': 'POST',
  ':path': method,
  'content-type': 'application/grpc',
  te: 'trailers',
  'grpc-timeout': `${Math.ceil(deadlineMs)}m`,
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
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #status: Pick<IncomingHttpHeaders, string> = {};
  #ended: Error | undefined;

  constructor(stream: ClientHttp2Stream, { maxBytes, deadlineMs }: AnswerLimits, outcome: Outcome) {
    let late = false;
    const end = (error: Error): void => {
      this.#ended ??= error;
      stream.close(constants.NGHTTP2_CANCEL);
    };
    const timer = setTimeout(() => {
      late = true;
      end(failed(DEADLINE_EXCEEDED, 'Deadline exceeded'));
    }, deadlineMs);
    stream.on('data', (piece: Buffer) => {
      this.#size += piece.length;
      this.#pieces.push(piece);
      if (this.#size > maxBytes)
        end(failed(RESOURCE_EXHAUSTED, `Received message larger than max (${this.#size} vs. ${maxBytes})`));
    });
    // An answer without a message has its status in the headers.
    stream.on('response', (headers) => (this.#status = headers));
    stream.on('trailers', (trailers) => (this.#status = trailers));
    stream.on('error', () => undefined);
    stream.once('close', () => {
      clearTimeout(timer);
      const message = this.#message();
      const error = this.#ended ?? this.#failure(message);
      if (error === undefined) return outcome.resolve(message.subarray(PREFIX_BYTES));
      if (late || this.#status['grpc-status'] === undefined) outcome.lost(error);
      else outcome.reject(error);
    });
  }

  #failure(message: Buffer): Error | undefined {
    const { 'grpc-status': code, 'grpc-message': details } = this.#status;
    if (code === undefined) return failed(UNAVAILABLE, 'the connection ended before the answer');
    if (code !== '0') return failed(Number(code), decoded(String(details ?? '')));
    const whole = message.length >= PREFIX_BYTES && message.readUInt32BE(1) === message.length - PREFIX_BYTES;
    return whole && message[0] === 0
      ? undefined
      : failed(INTERNAL, 'an answer that is not one whole message');
  }

  #message(): Buffer {
    const [first] = this.#pieces;
    return this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
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
