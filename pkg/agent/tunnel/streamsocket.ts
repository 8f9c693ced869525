/** A stream of HTTP/2 as the connection that HTTP/1.1 is spoken over. */
import { constants } from 'node:http2';
import type { Http2Stream } from 'node:http2';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';

/**
 * `address`: of the client at the other end, as it is told; anything but an address is left out. `cancel`: told of a stream that is to
 * be reset; answers whether it ends by itself, and is not.
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
    // `bind` leaves one of their overloads.
    write: stream.write.bind(stream) as Write,
    end: stream.end.bind(stream) as Write,
  };
  // Of what `node:http` and those who stream ask of a connection, a stream lacks these.
  return Object.assign(stream, {
    ...{ setNoDelay: same, setKeepAlive: same, ref: same, unref: same },
    remoteAddress,
    write: (...given: Written) => written(own.write, given),
    // `node:http` ends connections that have ended, of which a stream makes an error that nobody sees.
    end: (...given: Ended) => (stream.writableEnded && given.length === 0 ? stream : ended(own, given)),
    destroy(error?: Error) {
      if (!stream.closed && !stream.destroyed) {
        const whole = stream.readableEnded && stream.writableFinished;
        // A stream that is whole ends by itself, too, but Node resets it where it is destroyed before.
        if (cancel !== undefined && (whole || cancel(stream))) {
          if (error !== undefined) process.nextTick(() => stream.emit('error', error));
          return stream;
        }
        // Without a code the other end takes it for a whole stream, and goes on with its own half.
        if (!whole) stream.close(constants.NGHTTP2_CANCEL);
      }
      return own.destroy(error);
    },
  }) as unknown as Socket;
}

type Chunk = string | Uint8Array;
/** What `write` of a stream takes: a chunk, its encoding, who is told. */
type Written = readonly [chunk: Chunk, encoding?: unknown, callback?: unknown];
/** What `end` of a stream takes. */
type Ended = readonly [chunk?: Chunk | (() => void) | null, encoding?: unknown, callback?: unknown];
type Write = (...given: readonly unknown[]) => unknown;

/**
 * Where the last of several pieces that are written at once is empty, as the one by which `node:http` ends an answer, Node 20 calls
 * the write of a stream of HTTP/2 done before the others are sent, frees them, and sends other memory of the process in their place. So
 * a stream is given no empty piece, and bytes alone, as text is freed at once.
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
