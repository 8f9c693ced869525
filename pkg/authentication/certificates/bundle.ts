import { X509Certificate, type KeyObject } from 'node:crypto';
import { x509Package } from '../../pki/x509package.js';
import { certificateOf, type Certificate } from './certificate.js';

/** Authorities that vouch for clients. Another bundle is another object, so that verdicts can be kept by it. */
export interface AuthorityBundle {
  readonly pem: string;
  readonly certificates: readonly Certificate[];
}

const BLOCK = 'CERTIFICATE';

/** Reads PEM: one certificate or more, with any text between them. Throws Error for other content. */
export function parseBundle(pem: string): AuthorityBundle {
  const blocks = x509Package()
    .PemConverter.decodeWithHeaders(pem)
    .filter(({ type }) => type === BLOCK);
  const begun = pem.split(`-----BEGIN ${BLOCK}-----`).length - 1;
  if (begun === 0) throw new Error('it holds no PEM certificate');
  if (blocks.length !== begun) throw new Error('a PEM certificate in it is cut short');
  const certificates = blocks.map(({ rawData }, at) => {
    try {
      return certificateOf(new X509Certificate(Buffer.from(rawData)));
    } catch {
      throw new Error(`certificate ${at + 1} in it cannot be read`);
    }
  });
  return { pem, certificates };
}

/**
 * Whether the bundles have an authority in common. An authority is a key, whatever its certificates (renewed,
 * cross-signed).
 */
export function overlap(one: AuthorityBundle, other: AuthorityBundle): boolean {
  const keys = keysOf(one);
  return keysOf(other).some((key) => keys.some((each) => each.equals(key)));
}

/** Without keys that cannot be read, by which nothing can be verified. */
function keysOf({ certificates }: AuthorityBundle): KeyObject[] {
  return certificates.flatMap(({ x509 }) => {
    try {
      return [x509.publicKey];
    } catch {
      return [];
    }
  });
}
