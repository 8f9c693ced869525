import type { Server } from 'node:net';

/** The port of a listening TCP server. Throws RangeError if it does not listen, or listens on a Unix socket. */
export function listeningPort(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new RangeError('the server listens on no port');
  return address.port;
}
