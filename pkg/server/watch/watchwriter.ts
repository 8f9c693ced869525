import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/**
 * Writes the frames of a watch. Over HTTP/1.1 a frame includes the head and tail of its chunk, made once for all
 * watches, and is written to the socket directly: one write and one TLS record each, while `response.write` makes
 * four.
 */
export interface WatchWriter {
  /** Whether frames carry the framing of HTTP/1.1 chunks. */
  readonly chunked: boolean;
  /** Of the connection: the same for all watches that share it. */
  readonly connection: number;
  /** False when the client does not keep up; then wait for {@link drained}. */
  write(frames: Buffer): boolean;
  drained(then: () => void): void;
  /** Ends the stream cleanly. */
  end(): void;
  /** Breaks the connection off. */
  destroy(): void;
  readonly closed: boolean;
}

const numbers = new WeakMap<object, number>();
let connections = 0;

/** Counts connections: sockets, and sessions of HTTP/2. */
export function connectionNumber(connection: object): number {
  const known = numbers.get(connection);
  if (known !== undefined) return known;
  connections += 1;
  numbers.set(connection, connections);
  return connections;
}

/** Call it when the head of the answer has been written. */
export function watchWriter(response: ServerResponse & { readonly stream?: ServerHttp2Stream }): WatchWriter {
  const { socket, stream } = response;
  const chunked = socket !== null && response.req.httpVersion === '1.1' && response.chunkedEncoding;
  const sink = chunked ? socket : response;
  return {
    chunked,
    connection: connectionNumber(stream?.session ?? socket ?? response),
    write: (frames) => sink.write(frames),
    drained: (then) => void sink.once('drain', then),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
    get closed() {
      return response.destroyed || response.writableEnded;
    },
  };
}

/** A line of the stream as `writer` takes it. */
export function wireForm(line: Buffer, chunked: boolean): Buffer {
  return chunked ? Buffer.concat([Buffer.from(`${line.length.toString(16)}\r\n`), line, CRLF]) : line;
}

const CRLF = Buffer.from('\r\n');
