/**
 * Streams that users abort. An agent on Node 20 ends its tunnel, with all requests in it, when more streams
 * are reset than nghttp2 accepts: 1000 at once, then 33 a second. Beyond a safe rate streams are half-closed
 * instead, which the agent treats as the end of the request, as if a client of HTTP/1.1 had closed its
 * connection. A stream that the agent does not close then is reset when that is safe again.
 */
import { constants, type ClientHttp2Stream } from 'node:http2';
import { boundReceived } from '../apimachinery/receivedbytes.js';
import { soon } from '../apimachinery/eventloop/turns.js';

const PER_SECOND = 30;
const BURST = 800;
const LINGER_MS = 1_000;
/** Of a stream whose end is waited for. What is under way when the agent learns of it is less. */
const MAX_DROPPED_BYTES = 4 * 1024 * 1024;

/** The rate limit of one tunnel. Returns whether the stream ends by itself: then it must not be destroyed. */
export type Cancel = (stream: ClientHttp2Stream) => boolean;

/** `now`: a monotonic clock in milliseconds. */
export function cancellation(now: () => number = () => performance.now()): Cancel {
  let tokens = BURST;
  let filled = now();
  const ending = new WeakSet<ClientHttp2Stream>();
  const mayReset = (): boolean => {
    const at = now();
    tokens = Math.min(BURST, tokens + ((at - filled) * PER_SECOND) / 1_000);
    filled = at;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
  return (stream) => {
    if (ending.has(stream)) return true;
    if (mayReset()) return false;
    ending.add(stream);
    endInOrder(stream, mayReset);
    return true;
  };
}

function endInOrder(stream: ClientHttp2Stream, mayReset: () => boolean): void {
  stream.end();
  boundReceived(stream, MAX_DROPPED_BYTES, () => stream.close(constants.NGHTTP2_CANCEL));
  // Drops further data, even if its reader has stopped.
  stream.resume();
  soon(() => stream.resume());
  const reset = (): void => {
    if (mayReset()) stream.close(constants.NGHTTP2_CANCEL);
    else late.refresh();
  };
  const late = setTimeout(reset, LINGER_MS);
  stream.once('close', () => clearTimeout(late));
}
