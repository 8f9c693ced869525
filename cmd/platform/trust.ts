/** Trust on first use: whom a server's certificate comes from, and whether the user knows it. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type DetailedPeerCertificate, connect } from 'node:tls';
import { Failure, usage } from './failure.js';
import { type Terminal, confirm } from './terminal.js';
import { unreachable } from './unreachable.js';

const TIMEOUT_MS = 10_000;

/** The last certificate that a server sends, and whether the system trusts it anyway. */
interface Seen {
  readonly trusted: boolean;
  readonly authority: X509Certificate;
}

/**
 * PEM of the authority that is to be trusted; undefined where the system trusts it already. Without `fingerprint`
 * (SHA-256 in hex, with or without colons) the user is shown it and asked. Rejects with Failure.
 */
export async function pinnedAuthority(
  terminal: Terminal,
  server: URL,
  fingerprint: string | undefined,
): Promise<string | undefined> {
  const { trusted, authority } = await look(server);
  const found = authority.fingerprint256;
  if (fingerprint !== undefined) {
    if (plain(fingerprint) !== plain(found))
      throw new Failure(
        'failed',
        `the authority of ${server.origin} has the fingerprint SHA256:${found}, not the one that was given`,
      );
    return authority.toString();
  }
  if (trusted) return undefined;
  terminal.tell(
    `The certificate of ${server.origin} comes from an authority that this machine does not know:`,
  );
  terminal.tell(`  ${authority.subject.replaceAll('\n', ', ')}\n  SHA256:${found}`);
  const instead = 'name the authority with --ca-file, or confirm its --fingerprint';
  if (!(await confirm(terminal, 'Trust it from now on?', instead))) throw usage(instead);
  return authority.toString();
}

const plain = (fingerprint: string): string =>
  fingerprint
    .replace(/^SHA256:/i, '')
    .replaceAll(':', '')
    .toUpperCase();

function look(server: URL): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(unreachable(server, error));
    const options = { ...tlsAddress(server), rejectUnauthorized: false };
    const socket = connect(options, () => {
      const authority = lastOf(socket.getPeerCertificate(true));
      socket.end();
      resolve({ trusted: socket.authorized, authority });
    });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('error', fail);
  });
}

/** Where to connect to, and the name that the certificate is for: `name`, else the URL's host. */
export function tlsAddress(
  { hostname, port }: URL,
  name?: string,
): { host: string; port: number; servername?: string } {
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = name ?? host;
  // An address is no name of a server (RFC 6066).
  return { host, port: Number(port || 443), ...(isIP(servername) === 0 && { servername }) };
}

function lastOf(certificate: DetailedPeerCertificate): X509Certificate {
  let last = certificate;
  while (last.issuerCertificate !== undefined && last.issuerCertificate !== last)
    last = last.issuerCertificate;
  return new X509Certificate(last.raw);
}
