/** A stream of HTTP/2 as the connection that HTTP/1.1 is spoken over. */
import { constants } from 'node:http2';
import type { Http2Stream } from 'node:http2';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';

/** `address`: of the client at the other end, as it is told; anything but an address is left out. */
export function streamSocket(stream: Http2Stream, address?: string): Socket {
  const same = (): Http2Stream => stream;
  const remoteAddress = address !== undefined && isIP(address) !== 0 ? address : undefined;
  const own = {
    destroy: stream.destroy.bind(stream),
    write: stream.write.bind(stream) as Write,
    end: stream.end.bind(stream) as Write,
  };
  // Of what `node:http` and those who stream ask of a connection, a stream lacks these.
  return Object.assign(stream, {
    ...{ setNoDelay: same, setKeepAlive: same, ref: same, unref: same },
    remoteAddress,
    write: (...given: Given) => own.write(...asBytes(given)),
    end: (...given: Given) => own.end(...asBytes(given)),
    destroy(error?: Error) {
      // Without a code the other end takes it for a whole stream, and goes on with its own half.
      const whole = stream.readableEnded && stream.writableFinished;
      if (!whole && !stream.closed && !stream.destroyed) stream.close(constants.NGHTTP2_CANCEL);
      return own.destroy(error);
    },
  }) as unknown as Socket;
}

/** What `write` and `end` of a stream take: a chunk, its encoding, who is told. */
type Given = readonly [chunk?: unknown, encoding?: unknown, told?: unknown];
type Write = (...given: Given) => unknown;

/**
 * Node sends other memory of the process in the place of text that is written to a stream of HTTP/2 together with bytes: it frees
 * the text before it is sent. So a stream is given bytes alone.
 */
function asBytes([chunk, encoding, ...told]: Given): Given {
  if (typeof chunk !== 'string') return [chunk, encoding, ...told];
  const named = typeof encoding === 'string' ? (encoding as BufferEncoding) : undefined;
  const bytes = Buffer.from(chunk, named);
  return named === undefined ? [bytes, encoding, ...told] : [bytes, undefined, ...told];
}
