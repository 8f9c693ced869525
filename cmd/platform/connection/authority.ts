/** Certificates of authorities that the user names. */
import { X509Certificate } from 'node:crypto';
import { Failure } from '../failure.js';
import { readNamed } from '../files/atomicfile.js';

export interface Authority {
  readonly pem: string;
  /** Where it is from, for errors. */
  readonly from: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** `from`: how the user names the file. Rejects with a Failure where it has no certificate, or one that cannot be read. */
export async function readAuthority(path: string, from: string): Promise<Authority> {
  const pem = (await readNamed(path)).toString();
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0)
    throw new Failure('failed', `${from} has no certificate: it must have those of the authority, as PEM`);
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    throw new Failure('failed', `${from} has a certificate that cannot be read`, { cause: error });
  }
  return { pem, from };
}
