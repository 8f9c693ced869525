/** An HTTP/2 stream as the connection of HTTP/1.1. */
import { constants, type Http2Stream } from 'node:http2';
import { isIP, type Socket } from 'node:net';

/**
 * `address`: of the client, as the other end reports it; ignored if invalid. `cancel`: called for a stream
 * that is to be reset; returns whether it ends by itself, and is not reset.
 */
export function streamSocket<S extends Http2Stream>(
  stream: S,
  {
    address,
    cancel,
  }: { readonly address?: string | undefined; readonly cancel?: (stream: S) => boolean } = {},
): Socket {
  const same = (): Http2Stream => stream;
  const remoteAddress = address !== undefined && isIP(address) !== 0 ? address : undefined;
  const own = {
    destroy: stream.destroy.bind(stream),
    // `bind` keeps one of the overloads.
    write: stream.write.bind(stream) as Write,
    end: stream.end.bind(stream) as Write,
  };
  // A stream lacks these members of a socket, which `node:http` uses.
  return Object.assign(stream, {
    setNoDelay: same,
    setKeepAlive: same,
    ref: same,
    unref: same,
    remoteAddress,
    write: (...given: Written) => written(own.write, given),
    // `node:http` ends connections that have ended, for which a stream emits an error that nobody handles.
    end: (...given: Ended) => (stream.writableEnded && given.length === 0 ? stream : ended(own, given)),
    destroy(error?: Error) {
      if (!stream.closed && !stream.destroyed) {
        const whole = stream.readableEnded && stream.writableFinished;
        // Node resets a complete stream, too, if it is destroyed before it ends by itself.
        if (cancel !== undefined && (whole || cancel(stream))) {
          if (error !== undefined) process.nextTick(() => stream.emit('error', error));
          return stream;
        }
        // Without a code the other end takes the stream for complete, and continues with its own half.
        if (!whole) stream.close(constants.NGHTTP2_CANCEL);
      }
      return own.destroy(error);
    },
  }) as unknown as Socket;
}

type Chunk = string | Uint8Array;
/** The arguments of a stream's `write`: a chunk, its encoding, a callback. */
type Written = readonly [chunk: Chunk, encoding?: unknown, callback?: unknown];
/** The arguments of a stream's `end`. */
type Ended = readonly [chunk?: Chunk | (() => void) | null, encoding?: unknown, callback?: unknown];
type Write = (...given: readonly unknown[]) => unknown;

/**
 * A workaround for Node 20: if the last of several chunks written at once is empty, as the one by which
 * `node:http` ends a response, the write of an HTTP/2 stream completes before the others are sent. Their
 * memory is freed, and other memory of the process is sent instead. So a stream gets no empty chunk, and only
 * bytes, as text is freed at once.
 */
function written(write: Write, [chunk, encoding, callback]: Written): unknown {
  const done = typeof encoding === 'function' ? encoding : callback;
  const named = typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
  const bytes = typeof chunk === 'string' ? Buffer.from(chunk, named) : chunk;
  if (bytes.length > 0) return write(bytes, done);
  if (typeof done === 'function') process.nextTick(done);
  return true;
}

function ended(own: Readonly<Record<'write' | 'end', Write>>, [chunk, encoding, callback]: Ended): unknown {
  if (typeof chunk === 'function') return own.end(chunk);
  if (chunk !== undefined && chunk !== null) written(own.write, [chunk, encoding]);
  return own.end(typeof encoding === 'function' ? encoding : callback);
}
