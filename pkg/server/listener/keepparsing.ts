import type { Socket } from 'node:net';

/** A connection with the parser that Node gives it, which its types leave out. */
type Parsed = Socket & { readonly parser?: { pause?: () => void } | null };

/**
 * Keeps Node from pausing the parser of HTTP/1.1 while a previous answer waits to be sent. Parts of a body that TLS
 * has already decrypted reach a paused parser nevertheless, which takes them for a client error (`HPE_PAUSED`) and
 * answers 400. The connection is not read meanwhile in either case, so the parser receives at most one read.
 */
export function keepParsing({ parser }: Parsed): void {
  if (parser?.pause !== undefined) parser.pause = () => undefined;
}

/**
 * Lets Node stop reading a connection of HTTP/1.1 while a body waits to be read. To a stream that flows it says so by an event,
 * and one that was accepted without being read (`pauseOnConnect`) flows only when told: else all that a client sends behind
 * its request would be kept in memory.
 */
export function letPause(socket: Parsed): void {
  if (socket.parser !== undefined && socket.parser !== null) socket.resume();
}
