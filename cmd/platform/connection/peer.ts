/** Whom a connection reaches, before anything is asked of it. */
import { request } from 'node:https';
import { type DetailedPeerCertificate, TLSSocket } from 'node:tls';
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
export function peerOf({ server, ca, servername, rejectUnauthorized, proxy }: Connection): Promise<Peer> {
  return new Promise((resolve, reject) => {
    const options = { method: 'HEAD', ca, servername, rejectUnauthorized, agent: proxy ?? false };
    const sent = request(new URL('/version', server), options, ({ socket }) => {
      if (socket instanceof TLSSocket)
        resolve({ authorized: socket.authorized, certificate: socket.getPeerCertificate(true) });
      else reject(new Failure('failed', `the connection to ${server.origin} is not of TLS`));
      sent.destroy();
    });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer in time')));
    sent.on('error', (error) => reject(unreachable(server, error)));
    sent.end();
  });
}
