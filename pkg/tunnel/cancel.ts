/**
 * Streams that users give up. An agent on Node 20 ends its tunnel, and what everybody has under way in it, when more streams are
 * reset than nghttp2 takes: 1000 at once, then 33 a second. Beyond what is safe they are ended instead, as a client of HTTP/1.1 ends
 * its connection, which the agent takes as its end of the request; one that it does not end is reset when that is safe again.
 */
import { constants } from 'node:http2';
import type { ClientHttp2Stream } from 'node:http2';

const PER_SECOND = 30;
const BURST = 800;
const LINGER_MS = 1_000;

/** Of one tunnel. Answers whether the stream ends by itself: then it must not be destroyed. */
export type Cancel = (stream: ClientHttp2Stream) => boolean;

/** `now`: milliseconds that never go back. */
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
  // What comes still is dropped, also by whoever stops reading now.
  stream.resume();
  setImmediate(() => stream.resume());
  const reset = (): void => {
    if (mayReset()) stream.close(constants.NGHTTP2_CANCEL);
    else late.refresh();
  };
  const late = setTimeout(reset, LINGER_MS);
  stream.once('close', () => clearTimeout(late));
}
