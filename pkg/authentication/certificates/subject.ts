// Node's toLegacyObject breaks `node:tls` if it is the first to load it.
import 'node:tls';
import type { X509Certificate } from 'node:crypto';

export interface CertificateSubject {
  /** `''` if it has none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
}

/** Node returns a list for several values. */
type Names = Readonly<Partial<Record<'CN' | 'O', string | readonly string[]>>>;

const known = new WeakMap<X509Certificate, CertificateSubject>();

/** The last common name counts, as in Go. */
export function subjectOf(certificate: X509Certificate): CertificateSubject {
  let subject = known.get(certificate);
  if (subject !== undefined) return subject;
  const { CN = [], O = [] }: Names = certificate.toLegacyObject().subject;
  subject = { commonName: [CN].flat().at(-1) ?? '', organizations: [O].flat() };
  known.set(certificate, subject);
  return subject;
}
