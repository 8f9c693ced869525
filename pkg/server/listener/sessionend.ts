/** Ends connections of HTTP/2, in place of what Node does. */
import { constants } from 'node:http2';
import type { ServerHttp2Session } from 'node:http2';

/** Streams that a client may still open after it was told to go: more than are under way before it can have heard. */
const LATE_STREAMS = 100;
/** The highest number of a stream: a GOAWAY that names it says that the connection will end, and ends no stream (RFC 9113, 6.8). */
const LAST_STREAM = 2 ** 31 - 1;

/**
 * Replaces `close` and `destroy` of a new session, which Node calls too, as when the client sends a GOAWAY.
 *
 * After Node's `close`, a stream that comes in the same read is refused by Node itself, while it reads. That sends its
 * GOAWAY, which frees the very stream that is being refused: the heap is corrupted, and the process aborted. Any client
 * could do that. Here the GOAWAY names no stream, and the connection ends when its streams have.
 *
 * Nor is a session destroyed while it reads (promises and ticks run within that): Node aborts where data follows.
 *
 * `streams`: how many are open. Call it after what counts them began to listen.
 */
export function endSafely(session: ServerHttp2Session, streams: () => number): void {
  const { socket } = session;
  const destroyNow = session.destroy.bind(session);
  let late = 0;
  let finishing = false;

  session.destroy = (error, code) => {
    setImmediate(destroyNow, error, code);
  };
  session.close = (callback) => {
    if (session.destroyed) return;
    if (callback !== undefined) session.once('close', callback);
    if (socket.destroyed) return session.destroy();
    if (finishing) return;
    finishing = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    setImmediate(() => {
      if (streams() === 0) destroyNow();
    });
  };
  session.on('stream', (stream) => {
    if (finishing) late += 1;
    if (late > LATE_STREAMS) session.destroy();
    stream.once('close', () => {
      if (finishing && streams() === 0) session.destroy();
    });
  });
}
