import type { Server } from 'node:net';

/** The port of a TCP server that listens. RangeError of one that does not, or listens on a socket file. */
export function listeningPort(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new RangeError('the server listens on no port');
  return address.port;
}
