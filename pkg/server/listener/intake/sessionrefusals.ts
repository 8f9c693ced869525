/** Requests over HTTP/2 that must not be served, as a part of their headers is lost. */
import { soon } from '../../../apimachinery/eventloop/turns.js';
import type { Http2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { SessionIntake } from './sessionintake.js';
import type { Refusal } from './sessionintake.js';
import { tapSession } from './tap.js';

/** By session and stream. */
const refusals = new WeakMap<Http2Session, Map<number, Refusal>>();

/**
 * Checks the headers of all requests of a session. Call it in the turn in which the session is made, with its socket. Throws
 * Error if that cannot be.
 */
export function checkHeaders(session: ServerHttp2Session, socket: Pick<TLSSocket, 'read'>): void {
  const refused = new Map<number, Refusal>();
  refusals.set(session, refused);
  const intake = new SessionIntake({
    pass: (bytes) => pass(bytes),
    refuse(stream, why) {
      refused.set(stream, why);
      // Node emits the request before that, if nghttp2 has not reset it.
      soon(() => refused.delete(stream));
    },
    fail: (code) => session.destroy(new Error('the client broke the protocol'), code),
  });
  const pass = tapSession(session, (bytes) => intake.take(bytes));
  // What came with the end of the handshake. Node would pass it on by itself.
  for (let early = readFrom(socket); early !== undefined; early = readFrom(socket)) intake.take(early);
}

function readFrom(socket: Pick<TLSSocket, 'read'>): Buffer | undefined {
  const bytes: unknown = socket.read();
  return Buffer.isBuffer(bytes) ? bytes : undefined;
}

/** Why the request of a stream must not be served. Throws Error if its session is not checked. */
export function refusalOf({ session }: ServerHttp2Stream, id: number): Refusal | undefined {
  if (session === undefined) return undefined;
  const refused = refusals.get(session);
  if (refused === undefined) throw new Error('the headers of this session are not checked');
  return refused.size === 0 ? undefined : refused.get(id);
}
