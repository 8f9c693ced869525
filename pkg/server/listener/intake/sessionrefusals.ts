/** Requests over HTTP/2 that must not be served, as a part of their headers is lost. */
import type { Http2Session, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { SessionIntake } from './sessionintake.js';
import { REFUSAL_FIELD, type Refusal } from './headerencoder.js';
import { tapSession } from './tap.js';

const checked = new WeakSet<Http2Session>();

/**
 * Checks the headers of all requests of a session. Call it in the turn in which the session is made, with its socket. Throws
 * Error if that cannot be.
 */
export function checkHeaders(session: ServerHttp2Session, socket: Pick<TLSSocket, 'read'>): void {
  checked.add(session);
  const intake = new SessionIntake({
    pass: (bytes) => pass(bytes),
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

/** Why a request must not be served, by its headers. Throws Error if its session is not checked. */
export function refusalOf(
  { session }: Pick<ServerHttp2Stream, 'session'>,
  headers: IncomingHttpHeaders,
): Refusal | undefined {
  if (session !== undefined && !checked.has(session))
    throw new Error('the headers of this session are not checked');
  const why = headers[REFUSAL_FIELD];
  return why === undefined ? undefined : why === 'large' ? 'large' : 'malformed';
}
