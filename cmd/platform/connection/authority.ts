/** Certificates of authorities that the user names. */
import { X509Certificate } from 'node:crypto';
import { Failure, messageOf } from '../failure.js';
import { readNamed } from '../files/atomicfile.js';

export interface Authority {
  readonly pem: string;
  /** Where it is from, for errors. */
  readonly from: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** `from`: how the user names the file. Rejects with a Failure where it has no certificate, or one that cannot be read. */
export async function readAuthority(path: string, from: string): Promise<Authority> {
  const pem = (await readNamed(path).catch(unusable(`${from} is not read`))).toString();
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) unusable(`${from} has no certificate`)();
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    unusable(`${from} has a certificate that cannot be read`)(error);
  }
  return { pem, from };
}

/** Throws Failure. */
const unusable =
  (what: string) =>
  (cause?: unknown): never => {
    const said = cause instanceof Failure ? `${what}: ${messageOf(cause)}` : what;
    const advice =
      'name a file that has the certificate of the authority, as PEM: "platform get ca" prints it where somebody is logged in';
    throw new Failure('failed', said, { advice, cause });
  };
