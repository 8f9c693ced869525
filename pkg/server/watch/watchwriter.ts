import type { ServerResponse } from 'node:http';

/**
 * Where the frames of a watch go. Over HTTP/1.1 a frame is made with the head and tail of its chunk, once for all
 * watches, and goes to the socket as it is: one piece and one TLS record for each, where `response.write` makes four.
 */
export interface WatchWriter {
  /** Whether frames carry the framing of HTTP/1.1 chunks. */
  readonly chunked: boolean;
  /** False when the client does not keep up; then wait for {@link drained}. */
  write(frames: Buffer): boolean;
  drained(then: () => void): void;
  /** Ends the stream cleanly. */
  end(): void;
  /** Breaks the connection off. */
  destroy(): void;
  readonly closed: boolean;
}

/** Call it when the head of the answer has been written. */
export function watchWriter(response: ServerResponse): WatchWriter {
  const { socket } = response;
  const chunked = socket !== null && response.req.httpVersion === '1.1' && response.chunkedEncoding;
  const sink = chunked ? socket : response;
  return {
    chunked,
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
