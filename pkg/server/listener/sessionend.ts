/** Closes HTTP/2 connections, in place of Node's own code. */
import { constants, type ServerHttp2Session } from 'node:http2';
import { soon } from '../../apimachinery/eventloop/turns.js';

/** Streams that a client may still open after a GOAWAY: more than were in flight when it received it. */
const LATE_STREAMS = 100;
/** The highest number of a stream: a GOAWAY that names it says that the connection will end, and ends no stream (RFC 9113, 6.8). */
const LAST_STREAM = 2 ** 31 - 1;

/**
 * Replaces `close` and `destroy` of a new session, which Node also calls, such as when the client sends a GOAWAY.
 *
 * After Node's `close`, Node itself refuses a stream that arrives in the same read, while it reads. That sends its
 * GOAWAY, which frees the very stream that is being refused: the heap is corrupted, and the process aborted. Any
 * client could do that. Here the GOAWAY names no stream, and the connection closes when its streams have ended.
 *
 * Nor is a session destroyed while it reads (promises and ticks run within that): Node aborts if more data follows.
 *
 * `streams`: the number of open streams. Call it after the listeners that count them were added.
 */
export function endSafely(session: ServerHttp2Session, streams: () => number): void {
  const { socket } = session;
  const destroyNow = session.destroy.bind(session);
  let late = 0;
  let finishing = false;

  session.destroy = (error, code) => {
    soon(() => destroyNow(error, code));
  };
  session.close = (callback) => {
    if (session.destroyed) return;
    if (callback !== undefined) session.once('close', callback);
    if (socket.destroyed) return session.destroy();
    if (finishing) return;
    finishing = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    soon(() => {
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
