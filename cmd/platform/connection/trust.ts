/** Trust on first use: the issuer of a server's certificate, and whether the user trusts it. */
import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate } from 'node:tls';
import { Failure, usage } from '../failure.js';
import { peerOf } from './peer.js';
import type { Connection } from './serverconnection.js';
import { type Terminal, confirm } from '../output/terminal.js';

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
  connection: Connection,
  fingerprint: string | undefined,
): Promise<string | undefined> {
  const { trusted, authority } = await peerCertificates(connection);
  const { server } = connection;
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

async function peerCertificates(connection: Connection): Promise<Seen> {
  const { authorized, certificate } = await peerOf({ ...connection, rejectUnauthorized: false });
  return { trusted: authorized, authority: lastOf(certificate) };
}

function lastOf(certificate: DetailedPeerCertificate): X509Certificate {
  let last = certificate;
  while (last.issuerCertificate !== undefined && last.issuerCertificate !== last)
    last = last.issuerCertificate;
  return new X509Certificate(last.raw);
}
