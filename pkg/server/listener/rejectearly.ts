/** Answers before the request was received completely. */
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Exchange } from '../httpexchange.js';
import type { Headers } from '../responsewriters/send.js';
import { soon } from '../../apimachinery/eventloop/turns.js';

/** Time in which a client with an answer has to stop sending, before it is cut off. */
export const LINGER_MS = 1_000;

/**
 * Sends a whole answer, whether or not the body of the request has been read. The rest of the body is dropped, and
 * soon the stream is closed, or the connection of HTTP/1.1.
 */
export function answerEarly(exchange: Exchange, code: number, headers: Headers, body: Buffer): void {
  const { request, response, end } = exchange;
  headers['Content-Length'] = String(body.length);
  const answer = (): void => {
    if (response.writableEnded || end.over) return;
    response.writeHead(code, headers);
    response.end(request.method === 'HEAD' ? undefined : body);
    request.resume();
  };
  if (request.complete) return answer();
  if (request.httpVersionMajor === 1) {
    headers.Connection = 'close';
    endConnectionSoon(request.socket);
    return answer();
  }
  endStreamWith(response);
  request.resume();
  // A body that came with its headers is read by then; else Node resets the stream before it says that the answer is whole.
  soon(answer);
}

/**
 * A connection that is closed while data comes is reset, and a reset overtakes the answer. So this end of it is closed
 * first, as Go's servers do (`closeWriteAndWait` in `net/http/server.go`).
 */
function endConnectionSoon(socket: Socket): void {
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => endSoon(socket);
}

/** Ends this half of a connection, and soon the other, whether or not the client ends it. */
export function endSoon(socket: Duplex): void {
  socket.end();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** Not at once: a reset overtakes the answer, and Go's clients then report a broken stream in its place. */
function endStreamWith(response: Exchange['response']): void {
  const { stream } = response;
  // A request without a body is complete without reading; closing it early would cut off its answer.
  if (stream === undefined || stream.endAfterHeaders) return;
  stream.once('finish', () => {
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), LINGER_MS);
    stream.once('close', () => clearTimeout(cut));
  });
}
