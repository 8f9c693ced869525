/** Whom a connection reaches, before anything is asked of it. */
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { requestOver } from '../../../api/client/node.js';
import { Failure } from '../failure.js';
import type { Connection } from './serverconnection.js';
import { unreachable } from './unreachable.js';

const TIMEOUT_MS = 10_000;

export interface Peer {
  /** Whether this machine, or the connection's authority, trusts it. */
  readonly authorized: boolean;
  /** With the certificates of its issuers. */
  readonly certificate: DetailedPeerCertificate;
}

/** No credential is sent. Rejects with a Failure. */
export async function peerOf(connection: Connection): Promise<Peer> {
  const { server, ca, servername, rejectUnauthorized, proxy } = connection;
  const options = { method: 'HEAD', ca, servername, rejectUnauthorized, agent: proxy ?? false };
  const url = new URL('/version', server);
  const { socket } = await requestOver(url, { ...options, timeout: TIMEOUT_MS }).catch((error: unknown) => {
    throw unreachable(connection, error);
  });
  try {
    if (!(socket instanceof TLSSocket))
      throw new Failure('failed', `the connection to ${server.origin} is not of TLS`);
    return { authorized: socket.authorized, certificate: socket.getPeerCertificate(true) };
  } finally {
    socket.destroy();
  }
}
